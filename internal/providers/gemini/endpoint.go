package gemini

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/providers/platform"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

const (
	defaultBase = "https://generativelanguage.googleapis.com"
	version     = "/v1beta"
	keyHeader   = "X-Goog-Api-Key"
)

// What is called of a model.
const (
	unstreamedCall = ":generateContent"
	streamCall     = ":streamGenerateContent"
)

// keyVars are the variables that may hold the key of the vendor's own API.
func keyVars() []string { return []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"} }

// newEndpoint is where the calls of a provider go. The key is in a header: an address ends up in logs.
func newEndpoint(spec *scenario.Provider, o wire.Options) (wire.Endpoint, error) {
	return endpointOf(spec, o, unstreamedCall, streamCall)
}

// endpointOf is newEndpoint for other calls of a model.
func endpointOf(spec *scenario.Provider, o wire.Options, whole, stream string) (wire.Endpoint, error) {
	if spec.Platform != nil && spec.Platform.Type == "vertex" {
		return onVertex(spec, o, whole, stream)
	}
	base := spec.BaseURL
	if base == "" {
		base = defaultBase
	}
	model := version + modelPath(spec.Model)
	u, err := wire.BaseURL(base, model+whole, model+stream, version+"/models", version)
	if err != nil {
		return wire.Endpoint{}, fmt.Errorf("provider %s: %w", spec.ID, err)
	}
	e := wire.Endpoint{Path: model + whole, KeyVars: keyVars(), Hint: hint}
	e.URL, e.StreamURL = addresses(u, model, whole, stream)
	if e.Key, err = wire.FindKey(spec, o.Getenv, e.URL, e.KeyVars); err != nil {
		return e, err
	}
	e.Header = wire.Header(spec.Headers, keyHeader)
	if e.Key.Value != "" {
		e.Header.Set(keyHeader, e.Key.Value)
	}
	return e, nil
}

// onVertex is the same API in a project of the user's own.
func onVertex(spec *scenario.Provider, o wire.Options, whole, stream string) (wire.Endpoint, error) {
	calls := platform.Calls{Unstreamed: whole[1:], Stream: stream[1:]}
	if stream != whole {
		calls.Stream += "?alt=sse"
	}
	e, err := platform.Vertex(spec, o, "google", calls)
	if own := e.Hint; own != nil {
		e.Hint = func(status int, r wire.Report) string { return cmp.Or(own(status, r), hint(status, r)) }
	}
	return e, err
}

// modelPath is the model as the path of a call names it.
func modelPath(model string) string {
	folder := "models"
	switch kind, name, has := strings.Cut(model, "/"); {
	case has && (kind == "models" || kind == "tunedModels"):
		folder, model = kind, name
	}
	return "/" + folder + "/" + url.PathEscape(model)
}

// addresses are those of the two calls of a model, whose path is escaped.
func addresses(base *url.URL, model, wholeCall, streamCall string) (whole, stream string) {
	prefix := strings.TrimSuffix(base.EscapedPath(), "/")
	at := func(call string, query url.Values) string {
		u := *base
		u.RawPath = prefix + model + call
		u.Path, _ = url.PathUnescape(u.RawPath) // it was escaped by us
		u.RawQuery = query.Encode()
		return u.String()
	}
	query := base.Query()
	whole = at(wholeCall, query)
	if streamCall == wholeCall { // it is not streamed
		return whole, whole
	}
	query.Set("alt", "sse")
	return whole, at(streamCall, query)
}

// optional are the parameters without which a call still makes sense, by the API's words, and their names in files.
var optional = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"temperature": "temperature", "topp": "top_p", "top_p": "top_p", "topk": "top_k", "top_k": "top_k",
		"stopsequences": "stop", "stop_sequences": "stop", "seed": "seed", "thinkinglevel": "reasoning_effort",
		"thinking_level": "reasoning_effort", "thinking level": "reasoning_effort",
		"responsejsonschema": "response_format", "response_json_schema": "response_format",
		"frequencypenalty": "frequency_penalty", "frequency_penalty": "frequency_penalty",
		"presencepenalty": "presence_penalty", "presence_penalty": "presence_penalty",
		"penalty is not enabled": `frequency_penalty" and "presence_penalty`,
	}
})

var parameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:temperature|top_?[pk]|stop_?sequences|seed|thinking[_ ]?level|` +
		`response_?json_?schema|(?:frequency|presence)_?penalty|penalty is not enabled)\b`)
})

// hint is the advice about refused calls that only this API needs; see wire.Endpoint.
func hint(status int, r wire.Report) string {
	if status != http.StatusBadRequest {
		return ""
	}
	text := strings.ToLower(r.Message)
	if strings.Contains(text, "api key") {
		return "check the key in credential, or in " + strings.Join(keyVars(), " or ")
	}
	if name := optional()[parameter().FindString(text)]; name != "" {
		return "list \"" + name + "\" under unsupported_params to leave it out"
	}
	return ""
}
