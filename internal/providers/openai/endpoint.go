package openai

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/arena-evals/arena/internal/providers"
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

// Types are the provider types that New understands.
func Types() []string { return []string{typeOpenAI, typeAzure, typeOllama, typeVLLM, typeCompatible} }

const (
	chatPath          = "/chat/completions"
	embeddingsPath    = "/embeddings"
	azureDeployments  = "/openai/deployments/"
	defaultAPIVersion = "2024-10-21" // of Azure: the last stable one with a date
)

// known is what a provider type brings along.
var known = map[string]struct {
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

// endpoint is where the calls go and what goes along with each of them.
type endpoint struct {
	kind   string
	path   string // of the call, at the end of url
	url    string
	shown  string // the address for messages: no query, no password
	header http.Header
	key    providers.Key
}

func newEndpoint(spec *scenario.Provider, path string, getenv func(string) (string, bool)) (endpoint, error) {
	e := endpoint{kind: spec.Type, path: path}
	if spec.Platform != nil && spec.Platform.Type == typeAzure {
		e.kind = typeAzure
	}
	defaults, ok := known[e.kind]
	if !ok {
		return e, fmt.Errorf("provider %s: type %q does not speak the OpenAI API", spec.ID, spec.Type)
	}
	var err error
	if e.url, err = e.address(spec, getenv); err != nil {
		return e, fmt.Errorf("provider %s: %w", spec.ID, err)
	}
	if e.key, err = providers.FindKey(spec, getenv, defaults.keys...); err != nil {
		return e, err
	}
	if e.key.Value == "" && e.needsKey() {
		return e, &providers.Error{
			Kind: providers.Auth, Provider: spec.ID, Final: true, Msg: "there is no key; " + setKey(e.kind),
		}
	}
	e.shown = shown(e.url)
	e.header = e.headers(spec.Headers)
	return e, nil
}

func (e *endpoint) address(spec *scenario.Provider, getenv func(string) (string, bool)) (string, error) {
	base := spec.BaseURL
	if e.kind == typeAzure && spec.Platform != nil && spec.Platform.Endpoint != "" {
		base = spec.Platform.Endpoint
	}
	if e.kind == typeAzure && base == "" && getenv != nil {
		base, _ = getenv("AZURE_OPENAI_ENDPOINT")
	}
	if base == "" {
		base = known[e.kind].base
	}
	if base == "" && e.kind == typeAzure {
		return "", fmt.Errorf("type azure needs platform.endpoint, base_url or the variable AZURE_OPENAI_ENDPOINT")
	}
	if base == "" {
		return "", fmt.Errorf("type %s needs a base_url", e.kind)
	}
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("base_url must be an http or https address, found %q", shown(base))
	}
	u.Fragment = ""
	u.Path = strings.TrimSuffix(path.Clean("/"+u.Path), "/")
	u.Path = withoutCall(u.Path)
	if e.kind == typeAzure {
		azurePath(u, spec)
	} else if known[e.kind].version && !strings.HasSuffix(u.Path, "/v1") {
		u.Path += "/v1"
	}
	u.Path += e.path
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

// shown is an address without what may be secret.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return withoutCall(u.String())
}

// withoutCall is an address without the path of a call at its end.
func withoutCall(address string) string {
	return strings.TrimSuffix(strings.TrimSuffix(address, chatPath), embeddingsPath)
}

// headers are those of the user with ours on top: how a call authenticates and what it carries is not theirs to say.
func (e *endpoint) headers(custom map[string]string) http.Header {
	h := make(http.Header, len(custom)+3)
	for name, value := range custom {
		switch http.CanonicalHeaderKey(name) {
		case "Authorization", "Api-Key", "Content-Type", "Content-Length", "Transfer-Encoding", "Host":
		default:
			h.Set(name, value)
		}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", "arena")
	}
	switch {
	case e.key.Value == "":
	case e.kind == typeAzure:
		h.Set("Api-Key", e.key.Value)
	default:
		h.Set("Authorization", "Bearer "+e.key.Value)
	}
	return h
}

// scrubber knows the key, and the values of custom headers and of the query, which may hold others.
func (e *endpoint) scrubber() *providers.Scrubber {
	const likelySecret = 12
	secrets := []string{e.key.Value}
	for name, values := range e.header {
		switch name {
		case "Content-Type", "Accept", "User-Agent":
			continue
		}
		for _, v := range values {
			if len(v) >= likelySecret {
				secrets = append(secrets, v)
			}
		}
	}
	if u, err := url.Parse(e.url); err == nil {
		if password, set := u.User.Password(); set {
			secrets = append(secrets, password)
		}
		for name, values := range u.Query() {
			for _, v := range values {
				if name != "api-version" && len(v) >= likelySecret {
					secrets = append(secrets, v)
				}
			}
		}
	}
	return providers.NewScrubber(secrets...)
}

// keyHint says which key was sent and what became of it, or how to send one.
func (e *endpoint) keyHint(verdict string) string {
	if e.key.Value != "" {
		return "the key from " + e.key.From + " " + verdict
	}
	return "no key was sent; " + setKey(e.kind)
}

// setKey says where a key is looked for.
func setKey(kind string) string {
	if keys := known[kind].keys; len(keys) > 0 {
		return "set " + strings.Join(keys, " or ") + ", or name a variable in credential.credential_env"
	}
	return "name a variable that holds one in credential.credential_env"
}

// needsKey reports whether the calls go to a service that answers nobody without a key. A gateway or a server of one's
// own may do without.
func (e *endpoint) needsKey() bool {
	u, err := url.Parse(e.url)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	for _, domain := range []string{
		"openai.com", "azure.com", "anthropic.com", "googleapis.com", "openrouter.ai", "groq.com", "mistral.ai",
		"together.xyz", "together.ai", "deepseek.com", "fireworks.ai", "x.ai", "cohere.com", "cohere.ai",
		"perplexity.ai", "cerebras.ai",
	} {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return u.User == nil
		}
	}
	return false
}
