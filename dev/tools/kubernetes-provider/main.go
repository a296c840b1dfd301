// Command pulumi-resource-kubernetes serves the Pulumi Kubernetes provider.
//
// The provider's own command cannot be built from its Go module, because the files that it
// embeds are generated and absent there. The builder copies the two that the module does
// have (schema.json and terraform-mapping.json) beside this file; they are never committed.
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
)

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var terraformMapping []byte

// version is stamped by the linker: the release that the pinned commit became.
var version string

func main() {
	provider.Serve("kubernetes", version, schema, terraformMapping)
}
