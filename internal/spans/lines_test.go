package spans

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
)

// seen is a summary of a trace.
type seen struct {
	Output string
	Calls  []string // name(args) → result, in order
	Models int
	Usage  chat.Usage
	Cost   float64
	Took   time.Duration
	Notice string
}

func see(t *Trace) seen {
	s := seen{Output: t.Output(), Models: t.ModelCalls(), Took: t.Duration(), Notice: t.Notice}
	for _, c := range t.Calls() {
		text := fmt.Sprintf("%s(%s)", c.Name, c.Args)
		if c.HasResult {
			text += " → " + c.Result
		}
		if c.Failure != "" {
			text += " ✗ " + c.Failure
		}
		s.Calls = append(s.Calls, text)
	}
	for sp := range t.Spent {
		if sp.Usage != nil {
			s.Usage = s.Usage.Add(*sp.Usage)
		}
		if sp.CostUSD != nil {
			s.Cost += *sp.CostUSD
		}
	}
	return s
}

func readLines(t *testing.T, file string) *Trace {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var all []Span
	for _, err := range Lines(bytes.NewReader(text), func(s Span) { all = append(all, s) }) {
		t.Error(err)
	}
	return NewTrace(all)
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		want seen
	}{
		{"a-model.jsonl", seen{
			Output: "hi", Models: 1, Took: time.Second,
			Usage: chat.Usage{InputTokens: 10, OutputTokens: 5, CachedTokens: 4},
		}},
		{"nested-maps-and-times-as-texts.jsonl", seen{
			Output: "yes", Models: 1, Took: 2500 * time.Millisecond,
			Usage: chat.Usage{InputTokens: 1, OutputTokens: 2}, Cost: 0.75,
		}},
		{"a-run-takes-the-place-of-what-was-asked-for.jsonl", seen{
			Models: 1, Took: 5 * time.Second,
			Calls: []string{`search({"q":2})`, `search({"q":1}) → found`, `second() ✗ no such page`},
		}},
		{"the-model-that-ends-last-speaks.jsonl", seen{
			Output: "last", Models: 3, Took: 8 * time.Second,
			Notice: "the trace has 3 spans: 1 without an end or with one before the start; they are shown, and their times " +
				"do not count",
		}},
		{"as-kensa-stores-them.jsonl", seen{
			Output: "one\ntwo", Models: 1, Took: 3 * time.Second, Cost: 0.5,
			Usage: chat.Usage{InputTokens: 3, OutputTokens: 4},
			Calls: []string{`f({"a":1})`, `g({"raw":"x"}) → gone ✗ the span failed`},
		}},
		{"whole-responses-as-text.jsonl", seen{
			Output: "from openai", Models: 2, Took: 3 * time.Second, Calls: []string{`f({"a":1})`},
		}},
		{"an-answer-that-is-json.jsonl", seen{Output: `{"text": "no", "n": 1}`, Models: 1, Took: time.Second}},
		{"rings-missing-parents-and-copies.jsonl", seen{
			Calls: []string{"a()", "b()", "c()", "d()"}, Took: time.Second,
			Notice: "the trace has 4 spans: 1 whose parent did not come, 2 in a ring of parents; they are shown, and their " +
				"times do not count",
		}},
		{"the-sum-of-an-agent-beside-its-parts.jsonl", seen{
			Output: "hello", Models: 1, Usage: chat.Usage{InputTokens: 10, OutputTokens: 1}, Took: 8 * time.Second,
			Calls: []string{`f({}) → {"ok":true}`},
		}},
		{"two-libraries-tell-of-one-call.jsonl", seen{Models: 2, Took: 8 * time.Second, Calls: []string{"f({})", "f({})"}}},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, see(readLines(t, c.file))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestBadLines: an invalid line is reported, and the others are read.
func TestBadLines(t *testing.T) {
	t.Parallel()
	good := `{"name":"f","span_id":"1","start_time":1,"end_time":2,"attributes":{"openinference.span.kind":"TOOL"}}`
	for _, c := range []struct{ text, want string }{
		{good + "\n{\"name\":\"f\"", "line 2: not JSON: unexpected end of JSON input at byte 11"},
		{"[]\n" + good, "line 1: a span must be an object, found []"},
		{good + "\n{\"hello\":1}\n", "line 2: this is no span: it has none of name, trace_id, span_id, attributes and " +
			`kind: {"hello":1}`},
		{good + "\n\"" + strings.Repeat("x", MostLine) + "\"\n", "line 2: the line has more than 8 MiB"},
		{"\ufeff" + good + "\n\n", ""},
		{strings.Repeat("x\n", 12) + good, "and 2 more"},
	} {
		n, errs := 0, ""
		for _, err := range Lines(strings.NewReader(c.text), func(Span) { n++ }) {
			errs = err.Error()
		}
		if errs != c.want || n != 1 {
			t.Errorf("%.60q: %d spans, %q; want 1 and %q", c.text, n, errs, c.want)
		}
	}
}
