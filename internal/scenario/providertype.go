package scenario

import (
	"sync"

	"github.com/arena-evals/arena/internal/keys"
)

// ProviderType is what files and the command line may say of the providers of one type. How they are opened is for
// package providers/open to know, which has a row for each type that is available.
type ProviderType struct {
	Word      string // in files
	Name      string // in Provider.Type; several words may mean the same
	Available bool   // this version can open it
	// NeedsModel and NeedsBase say that a provider of this type must have a model and a base_url.
	NeedsModel, NeedsBase bool
	// AdHoc says that the command line may name such a provider as type/model.
	AdHoc bool
	// ListPrices says that the list prices of the vendor hold, because it is its own API. A server that merely speaks the
	// protocol may charge anything for a model of the same name. Free says that calls cost nothing.
	ListPrices, Free bool
	// MaxTemperature is the highest temperature that the API takes; 0: that of every other one. NoSeed says that it takes
	// no seed, SmallSeed that one has 32 bits, and NoPenalties that it knows neither frequency_penalty nor
	// presence_penalty.
	MaxTemperature                 float64
	NoSeed, SmallSeed, NoPenalties bool
	// Agent says that it is an agent of its own and no model: it holds the conversation itself, and runs its own tools. It
	// takes no parameters of models, it judges nothing, and nothing of what it says is kept for later runs.
	Agent bool
	// Platforms are where its models are hosted by others, beside azure.
	Platforms []string

	settings *fields[callFile] // additional_config; nil: none of a model
	foreign  bool              // arena knows nothing but the name
}

var clouds = []string{"bedrock", "vertex"}

// ProviderTypes are the types that files may name, in the order in which messages list them. All callers share the
// list.
func ProviderTypes() []ProviderType { return providerTypes() }

var providerTypes = sync.OnceValue(func() []ProviderType {
	return []ProviderType{
		{Word: "mock", Name: "mock", Available: true, AdHoc: true},
		{Word: "replay", Name: "replay", Available: true},
		{Word: "openai", Name: "openai", Available: true, NeedsModel: true, AdHoc: true, ListPrices: true,
			settings: openaiConfigFields},
		{Word: "claude", Name: "anthropic", Available: true, NeedsModel: true, ListPrices: true, MaxTemperature: 1,
			NoSeed: true, NoPenalties: true, Platforms: clouds, settings: anthropicConfigFields},
		{Word: "anthropic", Name: "anthropic", Available: true, NeedsModel: true, AdHoc: true, ListPrices: true,
			MaxTemperature: 1, NoSeed: true, NoPenalties: true, Platforms: clouds, settings: anthropicConfigFields},
		{Word: "gemini", Name: "gemini", Available: true, NeedsModel: true, AdHoc: true, ListPrices: true,
			SmallSeed: true, Platforms: clouds[1:], settings: geminiConfigFields},
		{Word: "google", Name: "gemini", Available: true, NeedsModel: true, ListPrices: true, SmallSeed: true,
			Platforms: clouds[1:], settings: geminiConfigFields},
		{Word: "ollama", Name: "ollama", Available: true, NeedsModel: true, AdHoc: true, Free: true,
			settings: ollamaConfigFields},
		{Word: "vllm", Name: "vllm", Available: true, NeedsModel: true, AdHoc: true, settings: compatibleConfigFields},
		{Word: "azure", Name: "azure", Available: true, AdHoc: true, ListPrices: true, settings: openaiConfigFields},
		{Word: "openai-compatible", Name: "openai-compatible", Available: true, NeedsModel: true, NeedsBase: true,
			AdHoc: true, settings: compatibleConfigFields},
		{Word: ProgramType, Name: ProgramType, Available: true, Agent: true},
		{Word: HTTPType, Name: HTTPType, Available: true, Agent: true},
		{Word: "imagen", Name: "imagen", Available: true, NeedsModel: true, Platforms: clouds[1:]},
		{Word: "elevenlabs", Name: "elevenlabs", foreign: true},
		{Word: "cartesia", Name: "cartesia", foreign: true},
		{Word: "huggingface", Name: "huggingface", foreign: true},
		{Word: "voyageai", Name: "voyageai", foreign: true},
	}
})

// Settings are the keys of additional_config of a model of this type; nil: it has none.
func (t ProviderType) Settings() keys.Table {
	switch {
	case t.settings != nil:
		return t.settings
	case t.Name == "mock":
		return mockConfigFields
	case t.Name == "replay":
		return replayFields
	case t.Name == ProgramType:
		return programFields
	case t.Name == HTTPType:
		return httpAgentFields
	}
	return nil
}

// ProviderTypeOf is the type of that name. The zero value is none.
func ProviderTypeOf(name string) ProviderType {
	for i := range providerTypes() {
		if t := &providerTypes()[i]; t.Word == name { // each name is also a word for itself
			return *t
		}
	}
	return ProviderType{}
}

func providerTypeWords() keys.Words {
	all := ProviderTypes()
	out := make(keys.Words, len(all))
	for i, t := range all {
		out[i] = t.Word
	}
	return out
}
