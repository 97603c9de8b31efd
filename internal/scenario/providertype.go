package scenario

import (
	"sync"

	"github.com/arena-evals/arena/internal/keys"
)

// ProviderType describes the providers of one type for files and the command line. Package providers/open has a row for
// each available type and opens them.
type ProviderType struct {
	Word      string // the type in files
	Name      string // in Provider.Type; several words may mean the same
	Available bool   // this version can open it
	// NeedsModel and NeedsBase say that a provider of this type must have a model and a base_url.
	NeedsModel, NeedsBase bool
	// AdHoc says that the command line may name such a provider as type/model.
	AdHoc bool
	// ListPrices says that the vendor's list prices apply, because it is the vendor's own API. Other servers with the
	// same protocol may have other prices. Free says that calls cost nothing.
	ListPrices, Free bool
	// MaxTemperature is the API's maximum temperature; 0: the common one. NoSeed says that it has no seed, SmallSeed
	// that its seed has 32 bits, and NoPenalties that it has neither frequency_penalty nor presence_penalty.
	MaxTemperature                 float64
	NoSeed, SmallSeed, NoPenalties bool
	// Agent says that it is an agent, not a model: it keeps the conversation, and runs its own tools. It has no
	// parameters of models, it is never a judge, and its replies are not cached for later runs.
	Agent bool
	// Platforms are the other hosts of its models, besides azure.
	Platforms []string

	settings *fields[callFile] // additional_config; nil: none
	foreign  bool              // arena knows only its name
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

// ProviderTypeOf is the type with that name; zero if there is none.
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
