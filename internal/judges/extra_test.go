package judges

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
)

func TestExtra(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object"}`)
	plain := func(change func(*chat.Request)) chat.Request {
		q := asked("hello")
		req := chat.Request{
			Messages: q.Messages, JSONSchema: schema, Temperature: new(0.0), Seed: new(int64(7)), MaxTokens: new(1024),
			Origin: chat.Origin{Judge: "strict"},
		}
		change(&req)
		return req
	}
	for _, c := range []struct {
		name  string
		extra map[string]any
		want  chat.Request
	}{
		{"none", map[string]any{}, plain(func(*chat.Request) {})},
		{"numbers", map[string]any{"temperature": json.Number("0.7"), "top_p": 1, "seed": json.Number("12345678901234567")},
			plain(func(r *chat.Request) {
				r.Temperature, r.TopP, r.Seed = new(0.7), new(1.0), new(int64(12345678901234567))
			})},
		{"whole numbers", map[string]any{"seed": 7.0, "max_tokens": 50},
			plain(func(r *chat.Request) { r.MaxTokens = new(50) })},
		{"the other limit", map[string]any{"max_completion_tokens": int64(50)},
			plain(func(r *chat.Request) { r.MaxTokens = new(50) })},
		{"null leaves it to the provider", map[string]any{"temperature": nil, "seed": nil, "max_tokens": nil},
			plain(func(r *chat.Request) { r.Temperature, r.Seed, r.MaxTokens = nil, nil, nil })},
		{"the provider's own", map[string]any{"reasoning_effort": "low", "top_k": 5},
			plain(func(r *chat.Request) { r.Extra = map[string]any{"reasoning_effort": "low", "top_k": 5} })},
		{"another format", map[string]any{"response_format": map[string]any{"type": "json_object"}},
			plain(func(r *chat.Request) {
				r.JSONSchema = nil
				r.Extra = map[string]any{"response_format": map[string]any{"type": "json_object"}}
			})},
	} {
		m := says("fine")
		q := asked("hello")
		q.Extra = c.extra
		_, err := pool(m, false).For(chat.Origin{}, new(int64(7))).Ask(t.Context(), grading.JudgeUse{}, q)
		if diff := cmp.Diff([]chat.Request{c.want}, m.requests); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
}

func TestBadExtra(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"temperature", "hot", "extra: temperature must be a number, found hot"},
		{"temperature", math.NaN(), "extra: temperature must be a number, found NaN"},
		{"temperature", json.Number("1e999"), "extra: temperature must be a number, found 1e999"},
		{"top_p", true, "extra: top_p must be a number, found true"},
		{"seed", 1.5, "extra: seed must be a whole number, found 1.5"},
		{"seed", []any{}, "extra: seed must be a number, found []"},
		{"max_tokens", 0, "extra: max_tokens must be between 1 and 2147483647, found 0"},
		{"max_tokens", 1e12, "extra: max_tokens must be between 1 and 2147483647, found 1000000000000"},
		{"model", "other", "extra: model cannot be set for a judge"},
		{"Messages", nil, "extra: Messages cannot be set for a judge"},
		{"stream", true, "extra: stream cannot be set for a judge"},
		{"top_k", math.Inf(1), "extra: json: unsupported value: +Inf"},
	} {
		m := says("fine")
		q := asked("hello")
		q.Extra = map[string]any{c.name: c.value}
		answer, err := pool(m, false).For(chat.Origin{}, nil).Ask(t.Context(), grading.JudgeUse{}, q)
		if err == nil || err.Error() != c.want || len(m.requests) != 0 || answer.Judge != "strict" {
			t.Errorf("%s %v: got %v after %d requests to %q, want %s", c.name, c.value, err, len(m.requests), answer.Judge, c.want)
		}
	}
}
