package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/secret"
)

// TestWhatWasTakenOut removes each word from the subjects in the examples of every check. No verdict may change: it is
// the same as with the word, or an error. The same holds for every way to reverse a check.
func TestWhatWasTakenOut(t *testing.T) {
	t.Parallel()
	turned := map[string]func(typ string, params map[string]any) (string, map[string]any){
		"as it is": func(typ string, params map[string]any) (string, map[string]any) { return typ, params },
		"at most 0": func(typ string, params map[string]any) (string, map[string]any) {
			return typ, with(params, "max_score", 0)
		},
		"at least a half": func(typ string, params map[string]any) (string, map[string]any) {
			return typ, with(params, "min_score", 0.5)
		},
		"not": func(typ string, params map[string]any) (string, map[string]any) {
			return "not", map[string]any{"check": map[string]any{"type": typ, "params": params}}
		},
		"all of, at most 0.4": func(typ string, params map[string]any) (string, map[string]any) {
			one := map[string]any{"type": typ, "params": params}
			return "all_of", map[string]any{"checks": []any{one}, "max_score": 0.4}
		},
		"mean": func(typ string, params map[string]any) (string, map[string]any) {
			one := map[string]any{"type": typ, "params": params, "weight": 1}
			return "weighted", map[string]any{"checks": []any{one}, "threshold": 0.5}
		},
	}
	for _, d := range checks.Builtin() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			tried := 0
			for _, x := range readExamples(t, d) {
				params, _ := (&node.Reader{Diags: &diag.List{}}).Any(x.params).(map[string]any)
				if x.Want == "" || x.When != nil {
					continue
				}
				for _, name := range slices.Sorted(maps.Keys(turned)) {
					typ, params := turned[name](x.Type, params)
					tried += x.takeOut(t, name, typ, jsonvalue.Compact(params))
				}
			}
			if d.Reads != checks.ReadsNothing && d.Reads != checks.ReadsMedia && tried == 0 && d.Needs&checks.NeedsWorkflow == 0 {
				t.Error("nothing was taken out of any example")
			}
		})
	}
}

func with(params map[string]any, key string, value any) map[string]any {
	out := maps.Clone(params)
	if out == nil {
		out = map[string]any{}
	}
	delete(out, "min_score")
	delete(out, "max_score")
	out[key] = value
	return out
}

// takeOut judges an example with each of its words taken out, and counts them.
func (x *example) takeOut(t *testing.T, how, typ, params string) (n int) {
	judged := func(word string) result.Verdict {
		compiled, _ := (&checks.Compiler{}).CompileJSON(&checks.JSONCheck{Type: typ, Params: params, Scope: checks.ScopeTurn})
		if compiled == nil {
			return result.Verdict{}
		}
		s, _ := (&Vector{Context: x.vectorContext, Tools: x.Tools}).subject(x.Scope)
		if x.Bare {
			s = &checks.Subject{Messages: x.transcript()}
		}
		if judges := x.judges(); judges != nil {
			s.Judges = judges
		}
		if x.HTTP != nil {
			s.Host = anyHost(t, x.HTTP, x.Env)
		}
		if word != "" {
			s.Stored = true
			takeFrom(s, word)
		}
		return compiled.Judge(t.Context(), s)
	}
	whole := judged("")
	if whole.Status != result.Passed && whole.Status != result.Failed {
		return 0
	}
	s, _ := (&Vector{Context: x.vectorContext, Tools: x.Tools}).subject(x.Scope)
	for _, word := range wordsOf(s) {
		n++
		v := judged(word)
		if v.Status != whole.Status && v.Status != result.Errored {
			t.Errorf("%s, %s: %s without %q, and %s with it: %s%s%s", x.Name, how, v.Status, word, whole.Status, v.Explanation,
				v.Error, v.SkipReason)
		}
	}
	return n
}

// wordsOf are the texts of a conversation, and their words and halves.
func wordsOf(s *checks.Subject) []string {
	set := map[string]bool{}
	add := func(text string) {
		set[text] = true
		for word := range strings.FieldsSeq(text) {
			set[word], set[word[:len(word)/2]] = true, true
		}
	}
	eachText(s, func(text string) string {
		add(text)
		return text
	})
	maps.DeleteFunc(set, func(word string, _ bool) bool { return strings.TrimSpace(word) == "" })
	all := slices.Sorted(maps.Keys(set))
	const most = 60
	return all[:min(len(all), most)]
}

func takeFrom(s *checks.Subject, word string) {
	eachText(s, func(text string) string { return strings.ReplaceAll(text, word, secret.Redacted) })
}

// eachText passes every text of messages, calls and results through change.
func eachText(s *checks.Subject, change func(string) string) {
	s.Messages = slices.Clone(s.Messages)
	for i := range s.Messages {
		m := &s.Messages[i]
		m.Content, m.Parts = change(m.Content), changedParts(m.Parts, change)
		if m.ToolResult != nil {
			r := *m.ToolResult
			r.Content, r.Error, r.Parts = change(r.Content), change(r.Error), changedParts(r.Parts, change)
			m.ToolResult = &r
		}
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for j := range m.ToolCalls {
			m.ToolCalls[j].Args = changedArgs(m.ToolCalls[j].Args, change)
		}
	}
	s.Calls, s.AllCalls = changedCalls(s.Calls, change), changedCalls(s.AllCalls, change)
}

func changedCalls(calls []checks.Call, change func(string) string) []checks.Call {
	calls = slices.Clone(calls)
	for i := range calls {
		c := &calls[i]
		c.Args, c.BadArgs, c.Error = changedArgs(c.Args, change), change(c.BadArgs), change(c.Error)
		c.Result, c.Parts = changed(c.Result, change), changedParts(c.Parts, change)
	}
	return calls
}

func changedArgs(args map[string]any, change func(string) string) map[string]any {
	if args == nil {
		return nil
	}
	return changed(args, change).(map[string]any)
}

func changed(v any, change func(string) string) any {
	switch v := v.(type) {
	case nil:
		return nil
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			out[key] = changed(item, change)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = changed(v[i], change)
		}
		return out
	}
	if was := fmt.Sprint(v); change(was) != was {
		return change(was)
	}
	return v
}

func changedParts(parts []chat.Part, change func(string) string) []chat.Part {
	parts = slices.Clone(parts)
	for i := range parts {
		if parts[i].Text = change(parts[i].Text); parts[i].Media != nil {
			m := *parts[i].Media
			m.Data, m.URL, m.MIMEType = change(m.Data), change(m.URL), change(m.MIMEType)
			parts[i].Media = &m
		}
	}
	return parts
}
