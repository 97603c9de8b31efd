package openai

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// environment is a Getenv over fixed variables.
func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	azure := func(endpoint, version string) *scenario.Platform {
		return &scenario.Platform{Type: "azure", Endpoint: endpoint, APIVersion: version}
	}
	env := environment(map[string]string{
		"AZURE_OPENAI_ENDPOINT": "https://env.test", "OPENAI_API_KEY": "k", "AZURE_OPENAI_API_KEY": "k",
	})
	cases := []struct {
		kind, base string
		platform   *scenario.Platform
		want       string // the address, or the error after a !
	}{
		{"openai", "", nil, "https://api.openai.com/v1/chat/completions"},
		{"openai", "http://stub.test/v1", nil, "http://stub.test/v1/chat/completions"},
		{"openai", "http://stub.test/v1/", nil, "http://stub.test/v1/chat/completions"},
		{"openai", "http://stub.test", nil, "http://stub.test/chat/completions"},
		{"openai", "http://stub.test/v1/chat/completions", nil, "http://stub.test/v1/chat/completions"},
		{"openai", " http://stub.test//v1 ", nil, "http://stub.test/v1/chat/completions"},
		{"openai", "http://stub.test/v1?team=a", nil, "http://stub.test/v1/chat/completions?team=a"},
		{"openai", "stub.test/v1", nil, `!must be an http or https address, found "stub.test/v1"`},
		{"openai", "ftp://u:secret@stub.test", nil, `!must be an http or https address, found "ftp://stub.test"`},
		{"ollama", "", nil, "http://localhost:11434/v1/chat/completions"},
		{"ollama", "http://gpu:11434", nil, "http://gpu:11434/v1/chat/completions"},
		{"ollama", "http://gpu:11434/v1/", nil, "http://gpu:11434/v1/chat/completions"},
		{"vllm", "http://gpu:8000", nil, "http://gpu:8000/v1/chat/completions"},
		{"openai-compatible", "https://gateway.test/api/v1", nil, "https://gateway.test/api/v1/chat/completions"},
		{"openai-compatible", "", nil, "!type openai-compatible needs a base_url"},
		{"azure", "https://me.openai.azure.com", nil,
			"https://me.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21"},
		{"openai", "", azure("https://me.openai.azure.com/", "2025-01-01-preview"),
			"https://me.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2025-01-01-preview"},
		{"azure", "https://me.openai.azure.com/openai/deployments/d1/chat/completions?api-version=2024-02-01", nil,
			"https://me.openai.azure.com/openai/deployments/d1/chat/completions?api-version=2024-02-01"},
		{"azure", "https://me.openai.azure.com/openai/v1/", nil, "https://me.openai.azure.com/openai/v1/chat/completions"},
		{"azure", "", nil, "https://env.test/openai/deployments/gpt/chat/completions?api-version=2024-10-21"},
		{"anthropic", "", nil, `!type "anthropic" does not speak the OpenAI API`},
	}
	for _, c := range cases {
		e, err := newEndpoint(&scenario.Provider{Type: c.kind, BaseURL: c.base, Model: "gpt", Platform: c.platform}, chatPath, env)
		if want, bad := strings.CutPrefix(c.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %q: got error %v, want one with %s", c.kind, c.base, err, want)
			}
		} else if err != nil || e.URL != c.want {
			t.Errorf("%s %q: got %s, %v, want %s", c.kind, c.base, e.URL, err, c.want)
		}
	}
	if _, err := newEndpoint(&scenario.Provider{Type: "azure"}, chatPath, nil); err == nil {
		t.Error("azure without an endpoint must not open")
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	file, blank := filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "blank")
	for name, text := range map[string]string{file: "from-file\n", blank: " \n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := environment(map[string]string{
		"OPENAI_API_KEY": "default-1", "OPENAI_TOKEN": "default-2", "AZURE_OPENAI_API_KEY": "azure",
		"MINE": "mine", "EMPTY": "", "TWO_LINES": "a\nb", "BLANK": " \t", "ENDED": "mine\n", "PADDED": " mine ",
		"SENTENCE": "Bearer mine", "PASTED": "mi\u200bne",
	})
	cases := []struct {
		name string
		spec scenario.Provider
		want map[string]string // header → value
		err  string
	}{
		{"literal first", scenario.Provider{Type: "openai", APIKey: "literal", KeyFile: file, KeyEnv: "MINE"},
			map[string]string{"Authorization": "Bearer literal"}, ""},
		{"then the file", scenario.Provider{Type: "openai", KeyFile: file, KeyEnv: "MINE"},
			map[string]string{"Authorization": "Bearer from-file"}, ""},
		{"then the named variable", scenario.Provider{Type: "openai", KeyEnv: "MINE"},
			map[string]string{"Authorization": "Bearer mine"}, ""},
		{"then the default", scenario.Provider{Type: "openai"}, map[string]string{"Authorization": "Bearer default-1"}, ""},
		{"azure", scenario.Provider{Type: "azure", BaseURL: "https://a.test"},
			map[string]string{"Api-Key": "azure", "Authorization": ""}, ""},
		{"a local server gets no key", scenario.Provider{Type: "ollama"}, map[string]string{"Authorization": ""}, ""},
		{"nor does a stranger", scenario.Provider{Type: "openai-compatible", BaseURL: "https://a.test"},
			map[string]string{"Authorization": ""}, ""},
		{"unless it is named", scenario.Provider{Type: "vllm", KeyEnv: "MINE"},
			map[string]string{"Authorization": "Bearer mine"}, ""},
		{"custom headers", scenario.Provider{Type: "openai", Headers: map[string]string{
			"x-team": "qa", "authorization": "Bearer other", "CONTENT-TYPE": "text/plain", "api-key": "other",
		}}, map[string]string{
			"X-Team": "qa", "Authorization": "Bearer default-1", "Content-Type": "application/json", "Api-Key": "",
		}, ""},
		{"no such variable", scenario.Provider{Type: "openai", KeyEnv: "NO_SUCH"}, nil,
			"the environment variable NO_SUCH, named by credential_env, is not set"},
		{"empty variable", scenario.Provider{Type: "openai", KeyEnv: "EMPTY"}, nil,
			"the environment variable EMPTY, named by credential_env, is empty"},
		{"no such file", scenario.Provider{Type: "openai", KeyFile: file + ".missing"}, nil, "no such file"},
		{"blank file", scenario.Provider{Type: "openai", KeyFile: blank}, nil, "must hold one key, found 0 bytes"},
		{"two lines", scenario.Provider{Type: "openai", KeyEnv: "TWO_LINES"}, nil,
			"the key from TWO_LINES holds a line break or another control character"},
		{"a line end", scenario.Provider{Type: "openai", KeyEnv: "ENDED"}, nil,
			"the key from ENDED holds a line break or another control character"},
		{"only blanks", scenario.Provider{Type: "openai", KeyEnv: "BLANK"}, nil, "the key from BLANK is blank"},
		{"a blank literal", scenario.Provider{Type: "openai", APIKey: "  "}, nil, "the key from credential.api_key is blank"},
		{"blanks around it", scenario.Provider{Type: "openai", KeyEnv: "PADDED"},
			map[string]string{"Authorization": "Bearer mine"}, ""},
		{"more than a key", scenario.Provider{Type: "openai", KeyEnv: "SENTENCE"}, nil, "the key from SENTENCE has a space"},
		{"an invisible character", scenario.Provider{Type: "openai", KeyEnv: "PASTED"}, nil, "the key from PASTED has a space"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.spec.ID = "p"
			var got http.Header
			p, err := New(&c.spec, wire.Options{Getenv: env, Transport: sees(&got)})
			if c.err != "" {
				var failed *providers.Error
				if !asError(err, &failed) || failed.Kind != providers.Auth || !strings.Contains(failed.Msg, c.err) {
					t.Errorf("got %v, want an auth error with %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Complete(t.Context(), &chat.Request{}, nil); err != nil {
				t.Fatal(err)
			}
			for name, want := range c.want {
				if got := got.Get(name); got != want {
					t.Errorf("header %s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestWithoutKey(t *testing.T) {
	t.Parallel()
	for _, described := range []scenario.Provider{
		{Type: "openai"}, {Type: "azure", BaseURL: "https://me.openai.azure.com"},
		{Type: "openai-compatible", BaseURL: "https://openrouter.ai/api/v1"},
	} {
		var failed *providers.Error
		if _, err := New(&described, wire.Options{}); !asError(err, &failed) || failed.Kind != providers.Auth ||
			!strings.Contains(failed.Msg, "there is no key; ") {
			t.Errorf("%s without a key: %v", described.Type, err)
		}
		if _, err := NewEmbedder(&described, wire.Options{}); !asError(err, &failed) || failed.Kind != providers.Auth {
			t.Errorf("an embedder of type %s without a key: %v", described.Type, err)
		}
	}
	own := &scenario.Provider{Type: "openai", BaseURL: "http://127.0.0.1:1/v1"}
	var got http.Header
	if _, err := open(t, own, wire.Options{Transport: sees(&got)}).Complete(t.Context(), &chat.Request{}, nil); err != nil {
		t.Fatal(err)
	}
	if got == nil || got.Get("Authorization") != "" {
		t.Errorf("a header without a key: %v", got)
	}
}

func TestOneRequest(t *testing.T) {
	t.Parallel()
	transport := providertest.RoundTrip(func(r *http.Request) (*http.Response, error) {
		sent := map[string]string{"method": r.Method, "url": r.URL.String(), "accept": r.Header.Get("Accept"),
			"type": r.Header.Get("Content-Type"), "key": r.Header.Get("Api-Key")}
		want := map[string]string{"method": "POST", "accept": "text/event-stream", "type": "application/json",
			"url": "https://a.test/openai/deployments/some-model/chat/completions?api-version=2024-10-21",
			"key": "sk-test-0123456789abcdef"}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
		return providertest.Response(200, "application/json", `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}`), nil
	})
	p := open(t, spec("azure", "https://a.test"), wire.Options{Transport: transport})
	reply, err := p.Complete(t.Context(), &chat.Request{Stream: true}, nil)
	if err != nil || reply.Content != "ok" {
		t.Errorf("got %q, %v", reply.Content, err)
	}
}
