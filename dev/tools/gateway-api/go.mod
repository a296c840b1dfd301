// Data only: the Gateway API's CRDs are read from this module's folder, nothing is compiled.
module loco.dev/tools/gateway-api

go 1.26.6

require sigs.k8s.io/gateway-api v1.6.1
