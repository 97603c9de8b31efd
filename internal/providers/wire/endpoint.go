package wire

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// BaseURL parses the address of a server. It removes the path of a call, one of calls, if the user copied it too.
func BaseURL(text string, calls ...string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("base_url must be an http or https address, found %q",
			withoutCall(withoutSecrets(text), calls))
	}
	u.Fragment = ""
	u.Path = withoutCall(strings.TrimSuffix(path.Clean("/"+u.Path), "/"), calls)
	return u, nil
}

func withoutCall(address string, calls []string) string {
	for _, call := range calls {
		address = strings.TrimSuffix(address, call)
	}
	return address
}

// FindKey looks for the key of a provider, last in vars; see providers.FindKey. It returns an error of kind Auth if
// there is no key and the address is that of a service that requires one.
func FindKey(
	spec *scenario.Provider, getenv func(string) (string, bool), address string, vars []string,
) (providers.Key, error) {
	key, err := providers.FindKey(spec, getenv, vars...)
	if err == nil && key.Value == "" && needsKey(address) {
		err = &providers.Error{
			Kind: providers.Auth, Provider: spec.ID, Final: true, Msg: "there is no key; " + setKey(vars),
		}
	}
	return key, err
}

// setKey says how to set a key.
func setKey(vars []string) string {
	if len(vars) > 0 {
		return "set " + strings.Join(vars, " or ") + ", or name a variable in credential.credential_env"
	}
	return "name a variable that holds one in credential.credential_env"
}

// keyHint says which key was sent and how it was judged, or how to send one.
func (e *Endpoint) keyHint(verdict string) string {
	if e.Key.Value != "" {
		return "the key from " + e.Key.From + " " + verdict
	}
	return "no key was sent; " + setKey(e.KeyVars)
}

// needsKey reports whether the calls go to a service that requires a key. A gateway or a local server may not.
func needsKey(address string) bool {
	u, err := url.Parse(address)
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

// Header returns the headers of every call: the custom headers of the user, except those that arena sets itself and
// those for authentication. keys are the names of the headers that hold the key of the API.
func Header(custom map[string]string, keys ...string) http.Header {
	h := make(http.Header, len(custom)+3)
	for name, value := range custom {
		switch name = http.CanonicalHeaderKey(name); name {
		case "Content-Type", "Content-Length", "Transfer-Encoding", "Host":
		default:
			if !slices.Contains(keys, name) {
				h.Set(name, value)
			}
		}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", "arena")
	}
	return h
}

// scrubber removes secrets from the texts of servers. It can learn more secrets later.
type scrubber struct {
	known atomic.Pointer[providers.Scrubber]

	mu      sync.Mutex
	secrets []string
}

func (s *scrubber) excerpt(text string) string { return s.known.Load().Excerpt(text, excerptRunes) }

// learn adds credentials: a token, or a signature, which differs in each request.
func (s *scrubber) learn(values ...string) {
	for _, v := range values {
		v = strings.TrimPrefix(v, "Bearer ")
		if v == "" || strings.HasPrefix(v, "AWS4-") {
			continue
		}
		s.mu.Lock()
		if !slices.Contains(s.secrets, v) {
			s.secrets = append(s.secrets, v)
			s.known.Store(providers.NewScrubber(s.secrets...))
		}
		s.mu.Unlock()
	}
}

// scrubber returns a scrubber for the key and for the values of custom headers and of the query, which may hold
// secrets.
func (e *Endpoint) scrubber() *scrubber {
	const likelySecret = 12
	secrets := append([]string{e.Key.Value}, e.Secrets...)
	for name, values := range e.Header {
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
	if u, err := url.Parse(e.URL); err == nil {
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
	s := &scrubber{secrets: secrets}
	s.known.Store(providers.NewScrubber(secrets...))
	return s
}

// events reads the stream of a reply.
func (e *Endpoint) events(body io.Reader) Events {
	if e.Events != nil {
		return e.Events(body)
	}
	return newEvents(body)
}
