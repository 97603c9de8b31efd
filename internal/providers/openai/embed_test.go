package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// embedder opens one that talks to a handler over the wire.
func embedder(t *testing.T, change func(*scenario.Provider), handler http.HandlerFunc) *Embedder {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	described := spec("openai", server.URL+"/v1")
	described.APIKey, described.Model = "sk-very-secret-key", "text-embedding-3-small"
	if change != nil {
		change(described)
	}
	e, err := NewEmbedder(described, wire.Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	e := embedder(t, nil, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		want := `{"model":"text-embedding-3-small","input":["a \"b\"","日本"],"encoding_format":"float"}`
		if diff := cmp.Diff(want, string(body)); diff != "" {
			t.Errorf("the request (-want +got):\n%s", diff)
		}
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer sk-very-secret-key" {
			t.Errorf("%s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		send(w, 200, "application/json", `{"object":"list","data":[
			{"object":"embedding","index":1,"embedding":[0,1.5e-3,-2]},
			{"object":"embedding","index":0,"embedding":[1,0,0]}],"model":"text-embedding-3-small",
			"usage":{"prompt_tokens":4,"total_tokens":4}}`)
	})
	for range 2 { // the connection serves again
		got, err := e.Embed(t.Context(), []string{`a "b"`, "日本"})
		if err != nil {
			t.Fatal(err)
		}
		want := chat.Embeddings{
			Vectors: [][]float64{{1, 0, 0}, {0, 0.0015, -2}}, Model: "text-embedding-3-small", Tokens: new(4),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestEmbedFailures(t *testing.T) {
	t.Parallel()
	vector := func(index int, numbers string) string {
		return `{"index":` + encode(index) + `,"embedding":` + numbers + `}`
	}
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   providers.Kind
		says   string
	}{
		{"key", 401, `{"error":{"message":"wrong key sk-very-secret-key"}}`, providers.Auth, "http 401: wrong key"},
		{"rate", 429, `{"error":{"message":"slow down"}}`, providers.RateLimit, "http 429: slow down"},
		{"model", 404, `{"error":{"message":"no such model"}}`, providers.Refused, `check model "text-embedding-3-small"`},
		{"too long", 400, `{"error":{"message":"maximum context length"}}`, providers.Refused, "maximum context length"},
		{"down", 503, ``, providers.Transport, "http 503"},
		{"error with a good status", 200, `{"error":{"message":"overloaded"}}`, providers.BadReply, "overloaded"},
		{"page", 200, `<html><title>Sign in</title>`, providers.BadReply, `the reply is an HTML page`},
		{"half", 200, `{"data":[{"index":0,"embed`, providers.BadReply, "not valid JSON, or only a part of it"},
		{"empty", 200, ``, providers.BadReply, "the reply is empty"},
		{"base64", 200, `{"data":[` + vector(0, `"AACAPw=="`) + `]}`, providers.BadReply, "expected form"},
		{"words", 200, `{"data":[` + vector(0, `["a"]`) + `]}`, providers.BadReply, "expected form"},
		{"null", 200, `{"data":[` + vector(0, `[1,null,0]`) + `,` + vector(1, `[1,0,0]`) + `]}`, providers.BadReply,
			"expected form: data.embedding must be a number, found null"},
		{"only null", 200, `{"data":[` + vector(0, `[null]`) + `,` + vector(1, `[null]`) + `]}`, providers.BadReply, "found null"},
		{"no list", 200, `{"data":[` + vector(0, `null`) + `,` + vector(1, `[1]`) + `]}`, providers.BadReply,
			"no embedding of text 1 of 2"},
		{"truth", 200, `{"data":[` + vector(0, `[true]`) + `]}`, providers.BadReply, "expected form"},
		{"nested", 200, `{"data":[` + vector(0, `[[1]]`) + `]}`, providers.BadReply, "expected form"},
		{"NaN", 200, `{"data":[` + vector(0, `[NaN]`) + `]}`, providers.BadReply, "not valid JSON"},
		{"too large", 200, `{"data":[` + vector(0, `[1e999]`) + `]}`, providers.BadReply, "expected form"},
		{"none", 200, `{"data":[]}`, providers.BadReply, "no embedding of text 1 of 2"},
		{"one of two", 200, `{"data":[` + vector(0, `[1]`) + `]}`, providers.BadReply, "no embedding of text 2 of 2"},
		{"without numbers", 200, `{"data":[` + vector(0, `[]`) + `,` + vector(1, `[1]`) + `]}`, providers.BadReply,
			"no embedding of text 1 of 2"},
		{"twice", 200, `{"data":[` + vector(0, `[1]`) + `,` + vector(0, `[1]`) + `]}`, providers.BadReply, "or has it twice"},
		{"beyond", 200, `{"data":[` + vector(7, `[1]`) + `]}`, providers.BadReply, "a text 7 that was not sent"},
		{"uneven", 200, `{"data":[` + vector(0, `[1,2]`) + `,` + vector(1, `[1]`) + `]}`, providers.BadReply,
			"have 2 and 1 numbers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := embedder(t, nil, func(w http.ResponseWriter, _ *http.Request) { send(w, c.status, "application/json", c.body) })
			got, err := e.Embed(t.Context(), []string{"a", "b"})
			var failed *providers.Error
			if !errors.As(err, &failed) || failed.Kind != c.kind || !strings.Contains(err.Error(), c.says) || got.Vectors != nil {
				t.Fatalf("got %v, %v; want %s: %s", got, err, c.kind, c.says)
			}
			if strings.Contains(err.Error(), "very-secret") {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

func TestEmbedTakesNoLongerThanItMay(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	silent := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}
	e := embedder(t, func(p *scenario.Provider) { p.RequestTimeout = 20 * time.Millisecond /* is meant to pass */ }, silent)
	t.Cleanup(func() { close(over) }) // before the server is closed, which waits for its handlers
	_, err := e.Embed(t.Context(), []string{"a"})
	var failed *providers.Error
	if !errors.As(err, &failed) || failed.Kind != providers.Timeout {
		t.Errorf("a silent server: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the run was stopped")
	cancel(stop)
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, stop) {
		t.Errorf("a stopped run: %v", err)
	}
}

func TestEmbedIsCut(t *testing.T) {
	t.Parallel()
	e := embedder(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		send(w, 200, "application/json", `{"data":[`)
	})
	_, err := e.Embed(t.Context(), []string{"a"})
	var failed *providers.Error
	if !errors.As(err, &failed) || failed.Kind != providers.Transport {
		t.Errorf("a reply that was cut: %v", err)
	}
}

func TestEmbedderAddress(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://api.test/v1":                  "https://api.test/v1/embeddings",
		"https://api.test/v1/embeddings":       "https://api.test/v1/embeddings",
		"https://api.test/v1/chat/completions": "https://api.test/v1/embeddings",
	} {
		e, err := NewEmbedder(spec("openai", base), wire.Options{Transport: providertest.Answers(404, "", "")})
		if err != nil || e.client.Address() != want {
			t.Fatalf("%s: %v, %+v; want %s", base, err, e, want)
		}
		if _, err := e.Embed(t.Context(), nil); err == nil || !strings.HasSuffix(err.Error(), "base_url https://api.test/v1") {
			t.Errorf("%s: the error shows another address: %v", base, err)
		}
	}
	azure := &scenario.Provider{Type: "azure", BaseURL: "https://me.openai.azure.com", Model: "ada", APIKey: "k"}
	e, err := NewEmbedder(azure, wire.Options{})
	want := "https://me.openai.azure.com/openai/deployments/ada/embeddings?api-version=2024-10-21"
	if err != nil || e.client.Address() != want {
		t.Errorf("azure: %v, %+v; want %s", err, e, want)
	}
	if _, err := NewEmbedder(&scenario.Provider{Type: "mock"}, wire.Options{}); err == nil {
		t.Error("a mock embeds")
	}
}

func FuzzEmbedReply(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2]}]}`))
	f.Add([]byte(`{"data":[{"index":-1,"embedding":null}],"error":""}`))
	f.Add([]byte(`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2]}],"usage":{"prompt_tokens":9223372036854775807}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := NewEmbedder(spec("openai", "https://api.test/v1"), wire.Options{Transport: providertest.Answers(200, "application/json", string(body))})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Embed(t.Context(), []string{"a", "b"})
		if (err == nil) != (len(got.Vectors) == 2) || got.Tokens != nil && (*got.Tokens <= 0 || *got.Tokens > chat.MostTokens) {
			t.Errorf("%+v and %v", got, err)
		}
		if _, bad := json.Marshal(got.Vectors); bad != nil {
			t.Errorf("numbers that are none: %v", bad)
		}
	})
}
