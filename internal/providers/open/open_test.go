package open

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func described(kind string) *scenario.Provider {
	return &scenario.Provider{
		Meta: scenario.Meta{ID: "p"}, Type: kind, Model: "gpt-4o-mini", BaseURL: "http://stub.test",
		Program: &scenario.Program{Command: []string{"agent"}}, HTTP: &scenario.HTTPAgent{Method: "POST"},
	}
}

func TestSupported(t *testing.T) {
	t.Parallel()
	on := func(kind, platform string) *scenario.Provider {
		p := described(kind)
		p.Platform = &scenario.Platform{Type: platform}
		return p
	}
	for _, c := range []struct {
		spec *scenario.Provider
		want string // part of the error; "" is none
	}{
		{described("mock"), ""},
		{described("openai"), ""},
		{described("ollama"), ""},
		{described("vllm"), ""},
		{described("azure"), ""},
		{described("openai-compatible"), ""},
		{on("openai", "azure"), ""},
		{on("mock", "bedrock"), ""},
		{described("anthropic"), ""},
		{described("gemini"), ""},
		{on("gemini", "azure"), "provider p: platform azure is not available in this version; available is vertex"},
		{on("openai", "bedrock"), "provider p: platform bedrock is not available in this version"},
		{described("imagen"), ""},
		{described("elevenlabs"), "provider p: type elevenlabs is not available in this version; " +
			"available are " + strings.Join(Types(), ", ")},
		{described("opnai"), `unknown type "opnai"; available are ` + strings.Join(Types(), ", ") + "; " +
			`did you mean "openai"?`},
		{described("zzz"), `unknown type "zzz"`},
	} {
		client, err := New(c.spec, Options{})
		if c.want == "" {
			if err != nil || kindOf(c.spec.Type) == nil {
				t.Errorf("%s: %v", c.spec.Type, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || client != nil {
			t.Errorf("%s: got %v, %v, want an error with %q", c.spec.Type, client, err, c.want)
		}
	}
	for _, kind := range []string{"opnai", ""} {
		if kindOf(kind) != nil {
			t.Errorf("%q counts as available", kind)
		}
	}
}

// TestTypes holds the types that can be opened against those that files may name, and what is asked of a file against
// what opening a provider needs.
func TestTypes(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, kind := range scenario.ProviderTypes() {
		named[kind.Word] = true
		if kind.Available != (kindOf(kind.Name) != nil) {
			t.Errorf("files are told that %s is available: %v; it is: %v", kind.Word, kind.Available, !kind.Available)
		}
		if scenario.ProviderTypeOf(kind.Name).Name != kind.Name {
			t.Errorf("%s means %s, which is no type", kind.Word, kind.Name)
		}
		var later *providers.NotAvailable
		if _, err := New(described(kind.Word), Options{}); !kind.Available && !errors.As(err, &later) {
			t.Errorf("%s is known, and opening it says %v", kind.Word, err)
		}
		if !kind.Available || Simulated(kind.Name) || kind.Name == "azure" || kind.Name == scenario.HTTPType {
			// azure may name its endpoint elsewhere, and an agent behind HTTP does
			continue
		}
		spec := described(kind.Name)
		spec.BaseURL, spec.APIKey = "", "k"
		if _, err := New(spec, Options{}); (err != nil) != kind.NeedsBase {
			t.Errorf("a file of type %s must have base_url: %v; opening it without: %v", kind.Name, kind.NeedsBase, err)
		}
	}
	for _, kind := range kinds {
		if !named[kind.name] {
			t.Errorf("%s can be opened, and no file can name it", kind.name)
		}
	}
	if !slices.IsSorted(Types()) || !slices.Equal(embedding(), []string{"azure", "ollama", "openai", "openai-compatible", "vllm"}) {
		t.Errorf("the types are %q, with embeddings %q", Types(), embedding())
	}
}

func TestMissingKey(t *testing.T) {
	t.Parallel()
	spec := described("openai")
	spec.KeyEnv = "NO_SUCH_KEY"
	client, err := New(spec, Options{})
	var failed *providers.Error
	if !errors.As(err, &failed) || failed.Kind != providers.Auth || client != nil {
		t.Fatalf("got %v, %v", client, err)
	}
	if !strings.Contains(err.Error(), "NO_SUCH_KEY") {
		t.Errorf("the error does not name the variable: %v", err)
	}
}

func TestMockFiles(t *testing.T) {
	t.Parallel()
	file := func(text string) *scenario.MockFile { return &scenario.MockFile{Default: &text} }
	spec := described("mock")
	spec.Mock = file("its own")
	for want, o := range map[string]Options{
		"its own":   {},
		"the run's": {MockFile: file("the run's")},
		"inline": {MockFile: file("the run's"), Inline: func(string, int) []scenario.MockReply {
			return []scenario.MockReply{{Content: "inline"}}
		}},
	} {
		client, err := New(spec, o)
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := client.Complete(t.Context(), &chat.Request{}, nil); err != nil || reply.Content != want {
			t.Errorf("got %q, %v, want %q", reply.Content, err, want)
		}
	}
}

// TestWrappers sees that a model is retried, priced and let go of.
func TestWrappers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		policy  *scenario.RetryPolicy
		retries *int
		calls   int64
		works   bool
	}{
		{"by default", nil, nil, 3, true},
		{"as the file says", &scenario.RetryPolicy{Attempts: 2}, nil, 2, false},
		{"as the command line says", &scenario.RetryPolicy{Attempts: 9}, new(int), 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if calls.Add(1) < 3 {
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}],
					"usage":{"prompt_tokens":1000,"completion_tokens":1000}}`))
			}))
			t.Cleanup(server.Close)
			spec := described("openai")
			spec.BaseURL, spec.Retry, spec.RPS, spec.Burst, spec.MaxConcurrent = server.URL, c.policy, 1000, 10, 2
			if spec.Retry == nil {
				spec.Retry = &scenario.RetryPolicy{}
			}
			spec.Retry.BaseDelay = time.Millisecond
			client, err := New(spec, Options{Jobs: 1, Retries: c.retries})
			if err != nil {
				t.Fatal(err)
			}
			reply, err := client.Complete(t.Context(), &chat.Request{}, nil)
			if calls.Load() != c.calls || (err == nil) != c.works {
				t.Errorf("%d calls, %v; want %d", calls.Load(), err, c.calls)
			}
			if c.works && (reply.Retries != 2 || reply.CostUSD == nil || *reply.CostUSD != 0.00075) {
				t.Errorf("got %d retries, %v USD", reply.Retries, reply.CostUSD)
			}
			if err := providers.Close(client); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEmbedders(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"openai", "ollama", "vllm", "openai-compatible"} {
		if e, err := NewEmbedder(described(kind), Options{}); err != nil || e == nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for kind, want := range map[string]string{
		"mock":     "provider p: type mock has no embeddings; available are azure, ollama, openai",
		"voyageai": "type voyageai is not available in this version",
		"opnai":    `did you mean "openai"?`,
	} {
		if e, err := NewEmbedder(described(kind), Options{}); err == nil || !strings.Contains(err.Error(), want) || e != nil {
			t.Errorf("%s: %v, want %s", kind, err, want)
		}
	}
	spec := described("openai")
	spec.KeyEnv = "NO_SUCH_KEY"
	var failed *providers.Error
	if _, err := NewEmbedder(spec, Options{}); !errors.As(err, &failed) || failed.Kind != providers.Auth {
		t.Errorf("without its key: %v", err)
	}
}
