package anthropic

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/platform"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

const (
	defaultBase    = "https://api.anthropic.com"
	messagesPath   = "/v1/messages"
	defaultVersion = "2023-06-01"
)

// keyVars are the variables that may hold the key of the vendor's own API.
func keyVars() []string { return []string{"ANTHROPIC_API_KEY", "CLAUDE_API_KEY"} }

// newEndpoint is where the calls of a provider go.
func newEndpoint(spec *scenario.Provider, o wire.Options) (wire.Endpoint, error) {
	switch platformOf(spec) {
	case onVertex:
		return platform.Vertex(spec, o, "anthropic", platform.Calls{Unstreamed: "rawPredict", Stream: "streamRawPredict"})
	case onBedrock:
		return platform.Bedrock(spec, o)
	case onAzure:
		return azureEndpoint(spec, o)
	}
	return direct(spec, o, cmp.Or(spec.BaseURL, defaultBase), "X-Api-Key", keyVars())
}

// azureEndpoint is where Microsoft hosts the models: behind a resource of the user's own.
func azureEndpoint(spec *scenario.Provider, o wire.Options) (wire.Endpoint, error) {
	host := cmp.Or(spec.Platform.Endpoint, spec.BaseURL)
	if host == "" {
		return wire.Endpoint{}, &providers.Misconfigured{
			Pos: spec.Platform.Pos, Msg: "platform azure needs an endpoint",
			Hint: "write endpoint: with the address of the resource, such as https://NAME.services.ai.azure.com",
		}
	}
	const path = "/anthropic"
	host = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(host, "/"), messagesPath), path) + path
	return direct(spec, o, host, "Api-Key", []string{"ANTHROPIC_FOUNDRY_API_KEY", "AZURE_API_KEY"})
}

// direct is an endpoint that takes a key in a header.
func direct(spec *scenario.Provider, o wire.Options, base, header string, vars []string) (wire.Endpoint, error) {
	u, err := wire.BaseURL(base, messagesPath, "/v1")
	if err != nil {
		return wire.Endpoint{}, fmt.Errorf("provider %s: %w", spec.ID, err)
	}
	u.Path, u.RawPath = u.Path+messagesPath, ""
	e := wire.Endpoint{URL: u.String(), Path: messagesPath, KeyVars: vars, Hint: hint}
	if e.Key, err = wire.FindKey(spec, o.Getenv, e.URL, e.KeyVars); err != nil {
		return e, err
	}
	e.Header = wire.Header(spec.Headers, "X-Api-Key", "Api-Key")
	if e.Key.Value != "" {
		e.Header.Set(header, e.Key.Value)
	}
	setVersion(e.Header, spec)
	return e, nil
}

// setVersion names the version of the API, where the file does not name another one.
func setVersion(h http.Header, spec *scenario.Provider) {
	const name = "Anthropic-Version"
	switch {
	case spec.APIVersion != "":
		h.Set(name, spec.APIVersion)
	case h.Get(name) == "":
		h.Set(name, defaultVersion)
	}
}

// optional are the parameters without which a call still makes sense, by the API's words, and their names in files.
var optional = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "tool_choice": "tool_choice",
		"stop_sequences": "stop", "output_config.effort": "reasoning_effort", "output_config.format": "response_format",
		"disable_parallel_tool_use": "parallel_tool_calls",
	}
})

var parameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:temperature|top_p|top_k|tool_choice|stop_sequences|output_config\.(?:effort|format)|` +
		`disable_parallel_tool_use)\b`)
})

// hint is the advice about refused calls that only this API needs; see wire.Endpoint.
func hint(status int, r wire.Report) string {
	if status != http.StatusBadRequest {
		return ""
	}
	if name := optional()[parameter().FindString(strings.ToLower(r.Message))]; name != "" {
		return "list \"" + name + "\" under unsupported_params to leave it out"
	}
	return ""
}
