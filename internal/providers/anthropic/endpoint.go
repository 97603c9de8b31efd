package anthropic

import (
	"net/http"
	"regexp"
	"strings"
	"sync"

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
func newEndpoint(spec *scenario.Provider, o Options) (wire.Endpoint, error) {
	base := spec.BaseURL
	if base == "" {
		base = defaultBase
	}
	u, err := wire.BaseURL(base, messagesPath, "/v1")
	if err != nil {
		return wire.Endpoint{}, &misfit{spec.ID, err}
	}
	u.Path, u.RawPath = u.Path+messagesPath, ""
	e := wire.Endpoint{URL: u.String(), Path: messagesPath, KeyVars: keyVars(), Hint: hint}
	if e.Key, err = wire.FindKey(spec, o.Getenv, e.URL, e.KeyVars); err != nil {
		return e, err
	}
	e.Header = wire.Header(spec.Headers, "X-Api-Key")
	if e.Key.Value != "" {
		e.Header.Set("X-Api-Key", e.Key.Value)
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

// misfit is a setting of a provider that cannot work.
type misfit struct {
	id    string
	cause error
}

func (e *misfit) Error() string { return "provider " + e.id + ": " + e.cause.Error() }
func (e *misfit) Unwrap() error { return e.cause }

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
