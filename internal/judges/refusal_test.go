package judges

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/providers/openai"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

const completion = `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"fine"},` +
	`"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`

// picky is a model server that refuses requests with some parameters, in its own words, and notes the parameters of
// every request.
type picky struct {
	refuses map[string]string // parameter → "status body"
	seen    []string
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	var has []string
	for _, name := range []string{"response_format", "temperature", "seed", "max_tokens"} {
		if _, ok := body[name]; ok {
			has = append(has, name)
		}
	}
	p.seen = append(p.seen, strings.Join(has, " "))
	w.Header().Set("Content-Type", "application/json")
	for _, name := range has {
		if refusal := p.refuses[name]; refusal != "" {
			var status int
			_, text, _ := strings.Cut(refusal, " ")
			_, _ = fmt.Sscan(refusal, &status) // the cases below begin with a number
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
			return
		}
	}
	_, _ = io.WriteString(w, completion)
}

func (p *picky) judges(t *testing.T, unsupported ...string) grading.Judges {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	client, err := openai.New(&scenario.Provider{
		Meta: scenario.Meta{ID: "p"}, Type: "openai-compatible", Model: "m", BaseURL: server.URL, Unsupported: unsupported,
	}, wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return Single(client, "p", "m")
}

const everything = "response_format temperature max_tokens"

// TestRefusals asks twice: what a server refuses is tried once.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		refuses map[string]string
		want    []string
	}{
		{"takes everything", nil, []string{everything, everything}},
		{"openai's old models", map[string]string{"response_format": `400 {"error": {"message": "Invalid parameter: ` +
			`'response_format' of type 'json_schema' is not supported with this model.", "param": "response_format"}}`},
			[]string{everything, "temperature max_tokens", "temperature max_tokens"}},
		{"in words", map[string]string{"response_format": "400 This model does not support structured outputs"},
			[]string{everything, "temperature max_tokens", "temperature max_tokens"}},
		{"no endpoint for it", map[string]string{"response_format": `404 {"error": {"message": ` +
			`"No endpoints found that support the requested parameters"}}`},
			[]string{everything, "temperature max_tokens", "temperature max_tokens"}},
		{"a validator", map[string]string{"response_format": `422 {"detail": [{"type": "extra_forbidden", ` +
			`"loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]}`},
			[]string{everything, "temperature max_tokens", "temperature max_tokens"}},
		{"no temperature", map[string]string{"temperature": `400 {"error": {"message": "Unsupported value: 'temperature' ` +
			`does not support 0 with this model. Only the default (1) value is supported.", "param": "temperature"}}`},
			[]string{everything, "response_format max_tokens", "response_format max_tokens"}},
		{"the other limit", map[string]string{"max_tokens": `400 {"error": {"message": "Unsupported parameter: ` +
			`'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`},
			[]string{everything, "response_format temperature", "response_format temperature"}},
		{"several", map[string]string{
			"response_format": `400 {"error": "json_schema is unknown"}`, "temperature": `400 {"error": "no temperature"}`,
		}, []string{everything, "temperature max_tokens", "max_tokens", "max_tokens"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &picky{refuses: c.refuses}
			all := p.judges(t)
			for _, text := range []string{"one", "two"} {
				answer, err := all.Ask(t.Context(), grading.JudgeUse{}, asked(text))
				if err != nil || answer.Text != "fine" {
					t.Fatalf("got %q, %v", answer.Text, err)
				}
			}
			if diff := cmp.Diff(c.want, p.seen); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRefusalsThatStay are those that no other request would help.
func TestRefusalsThatStay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, refusal string
		extra         map[string]any
		requests      int
	}{
		{"another reason", `400 {"error": "the prompt is too long"}`, nil, 1},
		{"no such model", `404 {"error": "the model m does not exist"}`, nil, 1},
		{"a bad key", `401 {"error": "response_format needs a key"}`, nil, 1},
		{"down", `500 {"error": "json_schema crashed"}`, nil, 1},
		{"refused in any case", `400 {"error": "max_tokens is not supported"}`, map[string]any{"max_tokens": 5}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &picky{refuses: map[string]string{"max_tokens": c.refusal, "temperature": c.refusal}}
			q := asked("hello")
			q.Extra = c.extra
			_, err := p.judges(t).Ask(t.Context(), grading.JudgeUse{}, q)
			if err == nil || len(p.seen) != c.requests {
				t.Errorf("got %v after %q", err, p.seen)
			}
		})
	}
}

func TestUnsupportedParams(t *testing.T) {
	t.Parallel()
	p := &picky{}
	q := asked("hello")
	q.Extra = map[string]any{"seed": 7}
	if _, err := p.judges(t, "response_format", "seed").Ask(t.Context(), grading.JudgeUse{}, q); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"temperature max_tokens"}, p.seen); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestSimulatedSeedIsLeftOut(t *testing.T) {
	t.Parallel()
	p := &picky{refuses: map[string]string{"seed": `400 {"error": "unknown field seed"}`}}
	all := p.judges(t).(*asker).pool.For(chat.Origin{}, new(int64(3)))
	if _, err := all.Ask(t.Context(), grading.JudgeUse{}, asked("hello")); err != nil {
		t.Fatal(err)
	}
	want := []string{"response_format temperature seed max_tokens", everything}
	if diff := cmp.Diff(want, p.seen); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
