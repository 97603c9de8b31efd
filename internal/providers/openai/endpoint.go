package openai

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// Provider types of this package.
const (
	typeOpenAI     = "openai"
	typeAzure      = "azure"
	typeOllama     = "ollama"
	typeVLLM       = "vllm"
	typeCompatible = "openai-compatible"
)

const (
	chatPath          = "/chat/completions"
	embeddingsPath    = "/embeddings"
	responsesPath     = "/responses"
	azureDeployments  = "/openai/deployments/"
	defaultAPIVersion = "2024-10-21" // of Azure: the last stable one with a date
)

// servers is what a provider type brings along.
var servers = map[string]struct {
	base    string   // "": none, base_url is required
	version bool     // /v1 belongs to the address also where it is not written
	keys    []string // variables that may hold the key
}{
	typeOpenAI:     {base: "https://api.openai.com/v1", keys: []string{"OPENAI_API_KEY", "OPENAI_TOKEN"}},
	typeAzure:      {keys: []string{"AZURE_OPENAI_API_KEY"}},
	typeOllama:     {base: "http://localhost:11434/v1", version: true},
	typeVLLM:       {base: "http://localhost:8000/v1", version: true},
	typeCompatible: {}, // an OpenAI key must not go to another company's server unless the file says so
}

// newEndpoint is where the calls of a provider go; path is that of the calls.
func newEndpoint(
	spec *scenario.Provider, path string, getenv func(string) (string, bool),
) (e wire.Endpoint, err error) {
	kind := spec.Type
	if spec.Platform != nil && spec.Platform.Type == typeAzure {
		kind = typeAzure
	}
	defaults, ok := servers[kind]
	if !ok {
		return e, fmt.Errorf("provider %s: type %q does not speak the OpenAI API", spec.ID, spec.Type)
	}
	e = wire.Endpoint{Path: path, KeyVars: defaults.keys, Hint: hints(spec, kind)}
	if kind == typeOllama {
		e.Start = "`ollama serve` starts it"
	}
	if e.URL, err = address(spec, kind, path, getenv); err != nil {
		return e, fmt.Errorf("provider %s: %w", spec.ID, err)
	}
	if e.Key, err = wire.FindKey(spec, getenv, e.URL, defaults.keys); err != nil {
		return e, err
	}
	e.Header = wire.Header(spec.Headers, "Authorization", "Api-Key")
	switch {
	case e.Key.Value == "":
	case kind == typeAzure:
		e.Header.Set("Api-Key", e.Key.Value)
	default:
		e.Header.Set("Authorization", "Bearer "+e.Key.Value)
	}
	return e, nil
}

func address(spec *scenario.Provider, kind, path string, getenv func(string) (string, bool)) (string, error) {
	base := spec.BaseURL
	if kind == typeAzure && spec.Platform != nil && spec.Platform.Endpoint != "" {
		base = spec.Platform.Endpoint
	}
	if kind == typeAzure && base == "" && getenv != nil {
		base, _ = getenv(scenario.AzureEndpointVar)
	}
	if base == "" {
		base = servers[kind].base
	}
	if base == "" && kind == typeAzure {
		return "", fmt.Errorf("type azure needs platform.endpoint, base_url or the variable AZURE_OPENAI_ENDPOINT")
	}
	if base == "" {
		return "", fmt.Errorf("type %s needs a base_url", kind)
	}
	u, err := wire.BaseURL(base, chatPath, embeddingsPath, responsesPath, imagesPath)
	if err != nil {
		return "", err
	}
	if kind == typeAzure {
		if path == responsesPath && !strings.HasSuffix(u.Path, "/v1") {
			u.Path = strings.TrimSuffix(u.Path, "/openai") + "/openai/v1"
		}
		azurePath(u, spec)
	} else if servers[kind].version && !strings.HasSuffix(u.Path, "/v1") {
		u.Path += "/v1"
	}
	u.Path += path
	u.RawPath = ""
	return u.String(), nil
}

// azurePath completes the address of an Azure resource. The model names the deployment there; an address that ends in
// /openai/v1 is of the newer API, which takes the model from the body like everybody else.
func azurePath(u *url.URL, spec *scenario.Provider) {
	query := u.Query()
	version := defaultAPIVersion
	if spec.Platform != nil && spec.Platform.APIVersion != "" {
		version = spec.Platform.APIVersion
	}
	switch {
	case strings.HasSuffix(u.Path, "/v1"):
		version = query.Get("api-version")
	case strings.Contains(u.Path, azureDeployments):
	default:
		u.Path = strings.TrimSuffix(u.Path, "/openai") + azureDeployments + spec.Model
	}
	if version != "" && !query.Has("api-version") {
		query.Set("api-version", version)
	}
	u.RawQuery = query.Encode()
}

// hints is the advice about refused calls that only this API needs; see wire.Endpoint.
func hints(spec *scenario.Provider, kind string) func(status int, r wire.Report) string {
	return func(status int, r wire.Report) string {
		switch {
		case status == http.StatusNotFound && kind == typeOllama:
			return fmt.Sprintf("is the model there? `ollama pull %s` fetches it", spec.Model)
		case status == http.StatusBadRequest && optional[r.Param]:
			return fmt.Sprintf("list %q under unsupported_params to leave it out", r.Param)
		}
		return ""
	}
}

// optional are the parameters without which a call still makes sense.
var optional = map[string]bool{
	"temperature": true, "top_p": true, "seed": true, "max_tokens": true, "max_completion_tokens": true,
	"tool_choice": true, "response_format": true, "stream_options": true, "stop": true, "reasoning_effort": true,
	"parallel_tool_calls": true,
}
