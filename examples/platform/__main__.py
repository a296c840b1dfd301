"""The platform team's stack: a Gateway for all models, and the output ``platform`` that loco stacks take their facts from."""

import pulumi
import pulumi_kubernetes as kubernetes

NAME = "shared"

config = pulumi.Config()
namespace, hostname = config.require("namespace"), config.require("hostname")
provider = kubernetes.Provider(
    "cluster", context=config.require("context"), cluster_identifier=config.require("clusterIdentifier")
)
home = kubernetes.core.v1.Namespace(
    namespace, metadata={"name": namespace}, opts=pulumi.ResourceOptions(provider=provider)
)
listener = {
    "name": "http",
    "port": 80,
    "protocol": "HTTP",
    "hostname": hostname,
    "allowedRoutes": {"namespaces": {"from": "All"}},  # the models' routes stand in namespaces of their own
}
gateway = kubernetes.apiextensions.CustomResource(
    NAME,
    api_version="gateway.networking.k8s.io/v1",
    kind="Gateway",
    metadata={"name": NAME, "namespace": namespace},
    spec={"gatewayClassName": config.require("gatewayClass"), "listeners": [listener]},
    opts=pulumi.ResourceOptions(provider=provider, depends_on=[home]),
)

# The form is that of `platform` in a loco stack's config; what such a stack writes itself goes before it.
facts = {
    "gateway": {
        "name": NAME,
        "namespace": namespace,
        "url": f"http://{hostname}",
        "internalURL": f"http://{config.require('service')}.svc.cluster.local",
        "peers": [{"namespace": config.require("proxies")}],
    },
    "spareGpus": config.get_int("spareGpus") or 0,
}
pulumi.export("platform", gateway.id.apply(lambda _: facts))  # only once there is a Gateway
