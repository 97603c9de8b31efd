package anthropic

import "github.com/arena-evals/arena/internal/scenario"

// Platforms that host the models.
const (
	onVertex  = "vertex"
	onBedrock = "bedrock"
	onAzure   = "azure"
)

// Versions of the API on platforms, in the body.
const (
	vertexVersion  = "vertex-2023-10-16"
	bedrockVersion = "bedrock-2023-05-31"
)

// platformOf is where the model is hosted; "": at Anthropic.
func platformOf(spec *scenario.Provider) string {
	if spec.Platform == nil {
		return ""
	}
	return spec.Platform.Type
}
