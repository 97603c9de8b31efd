package checks

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
)

// hostile are texts that are expensive to process, repeated up to the length that a test needs.
var hostile = map[string]string{
	"words":              "I cannot help. It's not, ",
	"one word":           "a",
	"brackets":           "[",
	"braces and quotes":  `{"`,
	"nested lists":       "[[],",
	"fences":             "```",
	"fences in a line":   "a```b",
	"languages":          "a```py\n",
	"tags":               "<a>",
	"tags of every kind": "<div><p><li><svg><b x=1 x=2></b>",
	"attributes":         "a=1 ",
	"entities":           "&lt;&#x41;&amp",
	"parentheses":        "(",
	"minus signs":        "- ",
	"statements":         "SELECT ",
	"invalid UTF-8":      "\xff\xfea\xc3",
	"characters":         "é日\u0301𝒳",
	"dots":               "a.b! ",
	"control":            "\x00\x1b[31m\u202e",
	"almost a match":     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
	"digits":             "1234-5678-",
	"blank":              " \n\t",
	"deep documents":     `{"level":`,
	"huge numbers":       "-123456789012345678901234567890.5e+999",
}

// closers end what some of the texts begin, so that the second half of the work is done too.
var closers = map[string]string{
	"deep documents": "}", "nested lists": "", "brackets": "]", "braces and quotes": `"}`, "parentheses": ")",
	"tags": "</a>", "attributes": "",
}

// hostileText is about n bytes of one of these texts, with the beginning and end of a document.
func hostileText(name string, n int) string {
	unit := hostile[name]
	closer := closers[name]
	var b strings.Builder
	times := n / (len(unit) + len(closer))
	switch name {
	case "deep documents":
		depth := min(times, 5000) // less than a decoder allows
		one := strings.Repeat(unit, depth) + "1" + strings.Repeat(closer, depth)
		return "[" + strings.Repeat(one+", ", times/depth-1) + one + "]"
	case "huge numbers":
		return "[" + strings.Repeat(unit+", ", times) + unit + "]"
	case "attributes":
		return "<a " + strings.Repeat(unit, times) + "/>"
	case "statements", "minus signs":
		b.WriteString("SELECT 1 + ")
	}
	b.WriteString(strings.Repeat(unit, times))
	b.WriteString(strings.Repeat(closer, times))
	return b.String()
}

// hostileParams are parameters that make the checks do the most work.
var hostileParams = map[string][]string{
	"regex":          {`{"pattern": "(a+)+$"}`, `{"pattern": "(x+x+)+y"}`},
	"output_matches": {`{"pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"}`},
	"json_valid":     {`{"allow_wrapped": true, "extract_json": true}`},
	"json_path": {
		`{"expression": "$..*", "allow_wrapped": true, "extract_json": true}`, `{"expression": "$..level", "contains": 1}`,
		`{"expression": "$[?(@ < 5)]", "max": 7}`, `{"expression": "[?@ < ` + "`5`" + `]", "expected": [1]}`,
	},
	"json_schema":       {`{"schema": {"type": "array"}, "extract_json": true}`},
	"contains_json":     {`{"schema": {"type": "object"}}`, `{}`},
	"content_excludes":  {`{"patterns": ["a", "[", "zz"], "match_mode": "word_boundary"}`},
	"is_html":           {`{"allow_wrapped": true}`},
	"is_xml":            {`{"allow_wrapped": true, "elements": ["a/a/b"]}`},
	"is_sql":            {`{"allow_wrapped": true}`},
	"is_refusal":        {`{"patterns": ["(a|aa)+$"]}`},
	"levenshtein":       {`{"reference": "` + strings.Repeat("kitten ", 200) + `"}`, `{"reference": "aaaa", "case_sensitive": false}`},
	"rouge":             {`{"reference": "` + strings.Repeat("a b cannot ", 200) + `"}`, `{"reference": "a a", "variant": "rouge-2"}`},
	"bleu":              {`{"reference": "` + strings.Repeat("a b cannot ", 200) + `"}`},
	"cosine_similarity": {`{"reference": [1, 2]}`},
	"tool_calls_with_args": {
		`{"tool_name": "get_order", "no_error": true}`, `{"tool_name": "get_order", "result_includes": ["OK"]}`,
		`{"tool_name": "get_order", "result_matches": "^ok$"}`, `{"tool_name": "get_order", "args_match": {"id": "^4"}}`,
	},
	"tool_call_chain": {
		`{"steps": [{"tool": "get_order", "no_error": true}]}`,
		`{"steps": [{"tool": "get_order", "result_matches": "^ok$"}]}`,
		`{"steps": [{"tool": "get_order", "args_match": {"id": "^4"}}]}`,
	},
	"tools_called":    {`{"tool_names": ["get_order"], "require_args": true}`},
	"tool_efficiency": {`{"max_errors": 0}`, `{"max_error_rate": 0.1}`},
	"trajectory":      {`{"steps": [{"tool": "get_order", "args": {"id": 42}}, {"tool": "draw"}]}`},
}

func hostileSubject(text string) *Subject {
	s := benchSubject(text)
	s.Calls = []Call{{Name: text[:min(len(text), 1000)], Args: map[string]any{"id": text}, Result: text, Error: text}}
	s.AllCalls = s.Calls
	s.Messages[0].Content = text
	s.Judges = judgesSaying(text, `{"score": 1, "reasoning": "`+text+`"}`)
	s.Messages = append(s.Messages, chat.Message{Role: chat.Assistant, Content: text, FinishReason: text})
	return &s
}

// TestHostileReplies judges hostile texts with every check: no panic, no score out of range, and explanations that fit
// on a screen. If the time grew faster than the text, the test would not end.
func TestHostileReplies(t *testing.T) {
	// Not parallel: it uses the whole machine, and programs have only half a second to end.
	size := 256 << 10
	if testing.Short() {
		size = 32 << 10
	}
	for name := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := hostileText(name, size)
			everyCheck(t, func(check string, c *Compiled) {
				v := c.Judge(t.Context(), hostileSubject(text))
				sane(t, check, &v)
			})
		})
	}
}

// everyCheck compiles each check, with the parameters of the benchmarks and with hostile ones.
func everyCheck(tb testing.TB, do func(name string, c *Compiled)) {
	tb.Helper()
	for _, d := range Builtin() {
		for _, params := range append([]string{benchParams[d.Name]}, hostileParams[d.Name]...) {
			c, problems := compileJSON(&Compiler{}, d.Name, params, ScopeTurn, nil)
			if c == nil {
				tb.Fatalf("%s: %v", d.Name, problems)
			}
			do(d.Name, c)
		}
	}
}

// sane checks what must hold for every verdict.
func sane(tb testing.TB, check string, v *result.Verdict) {
	tb.Helper()
	const longest = 4000
	switch {
	case strings.Contains(v.Error, "panicked"):
		tb.Errorf("%s: %s", check, v.Error)
	case v.Score != nil && !(*v.Score >= 0 && *v.Score <= 1):
		tb.Errorf("%s: score %v", check, *v.Score)
	case v.Score == nil && v.Passed && !v.Skipped:
		tb.Errorf("%s: passed without a score", check)
	}
	for _, text := range []string{v.Explanation, v.Error, v.SkipReason} {
		if utf8.RuneCountInString(text) > longest {
			tb.Errorf("%s: an explanation of %d bytes: %s", check, len(text), say.Cut(text, 300))
		}
		if strings.ContainsAny(text, "\n\x00\x1b") {
			tb.Errorf("%s: an explanation with control characters: %q", check, say.Cut(text, 300))
		}
	}
}

// BenchmarkHostileReplies judges ten megabytes of each text, and limits time and memory.
func BenchmarkHostileReplies(b *testing.B) {
	const size, memory, patience = 10 << 20, 1 << 30, 20 * time.Second
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		text := hostileText(name, size)
		everyCheck(b, func(check string, c *Compiled) {
			b.Run(check+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(size)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for b.Loop() {
					v := c.Judge(b.Context(), hostileSubject(text))
					sane(b, check, &v)
				}
				runtime.ReadMemStats(&after)
				used := (after.TotalAlloc - before.TotalAlloc) / uint64(b.N)
				if took := b.Elapsed() / time.Duration(b.N); took > patience || used > memory {
					b.Errorf("took %s and %d MiB", took, used>>20)
				}
			})
		})
	}
}

// FuzzReplies judges any text with every check.
func FuzzReplies(f *testing.F) {
	for name := range hostile {
		f.Add(hostileText(name, 100))
	}
	for _, name := range slices.Sorted(maps.Keys(benchReplies)) {
		f.Add(benchReplies[name])
	}
	var all []*Compiled
	everyCheck(f, func(_ string, c *Compiled) { all = append(all, c) })
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range all {
			v := c.Judge(t.Context(), hostileSubject(text))
			sane(t, c.Type, &v)
		}
	})
}
