package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

// Agreement is how arena did on vectors.
type Agreement struct {
	Agree, Total  int // of the vectors that were run
	Disagreements []Disagreement
	Skipped       []SkippedVectors // by type
	topics        []string         // a line for each
}

// Disagreement is a vector with another expected result than that of a check.
type Disagreement struct {
	File, Vector string
	Want, Got    string
}

// SkippedVectors are the vectors of one type that this version cannot run.
type SkippedVectors struct {
	Type   string
	Count  int
	Reason string
}

// Verify runs vectors. A type that does not exist at all is run too: refusing it is the right answer.
func Verify(ctx context.Context, files []VectorFile) (*Agreement, error) {
	judge, err := startJudge()
	if err != nil {
		return nil, err
	}
	r := &vectorRun{judge: judge}
	return r.all(ctx, files), judge.Close()
}

// vectorRun runs vectors, one after the other.
type vectorRun struct {
	compiler checks.Compiler
	judge    *judgeServer
}

func (r *vectorRun) all(ctx context.Context, files []VectorFile) *Agreement {
	a := &Agreement{}
	skipped := map[string]*SkippedVectors{}
	for i := range files {
		f := &files[i]
		for j := range f.Vectors {
			v := &f.Vectors[j]
			if reason := v.unavailable(); reason != "" {
				if skipped[f.Type] == nil {
					skipped[f.Type] = &SkippedVectors{Type: f.Type, Reason: reason}
				}
				skipped[f.Type].Count++
				continue
			}
			a.Total++
			got := r.run(ctx, f, v)
			if want := v.differs(got); want != "" {
				a.Disagreements = append(a.Disagreements, Disagreement{f.File, v.Name, want, got.String()})
				continue
			}
			a.Agree++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(skipped)) {
		a.Skipped = append(a.Skipped, *skipped[name])
	}
	return a
}

// Write prints a line for each topic, every disagreement, what was left out, and the sum in the last line.
func (a *Agreement) Write(w io.Writer) error {
	var b bytes.Buffer
	for _, line := range a.topics {
		fmt.Fprintln(&b, line)
	}
	for _, d := range a.Disagreements {
		fmt.Fprintf(&b, "%s: %s\n  want  %s\n  got   %s\n", d.File, d.Vector, d.Want, d.Got)
	}
	for _, s := range a.Skipped {
		fmt.Fprintf(&b, "skipped %s: %s (%s)\n", s.Type, plural.Count(s.Count, "vector"), s.Reason)
	}
	fmt.Fprintf(&b, "checks: %d/%d vectors agree\n", a.Agree, a.Total)
	_, err := w.Write(b.Bytes())
	return err
}

// unavailable says why this machine cannot run the vector; "": it can.
func (v *Vector) unavailable() string {
	if v.Exec != nil {
		return startable()
	}
	return ""
}

// outcome is the result of a vector.
type outcome struct {
	problems []diag.Diagnostic // not empty: the check was refused
	verdict  result.Verdict
	args     chat.Args      // of the tool call; nil: none was made
	judged   bool           // a judge was asked
	prompt   string         // of the judge
	request  *vectorRequest // first request to the endpoint; nil: none
	stdin    any            // of the program; nil: it was not started
	broken   error          // the vector could not be run
}

func (r *vectorRun) run(ctx context.Context, f *VectorFile, v *Vector) outcome {
	host, err := v.open(f.Type)
	if err != nil {
		return outcome{broken: err}
	}
	o := r.judged(ctx, f, v, host)
	host.sent(&o)
	o.broken = host.close()
	return o
}

func (r *vectorRun) judged(ctx context.Context, f *VectorFile, v *Vector, host *vectorHost) outcome {
	compiled, problems := r.compiler.CompileJSON(&checks.JSONCheck{
		Type: f.Type, Params: host.params(v.Params), Scope: f.Scope, When: v.When.condition(), Handlers: host.handlers(),
	})
	if compiled == nil {
		return outcome{problems: problems}
	}
	s, tools := v.subject(f.Scope)
	s.Judges, s.Host = r.judge.begin(v), host.host
	o := outcome{verdict: compiled.Judge(ctx, s), args: tools.called()}
	o.judged, o.prompt = r.judge.asked()
	return o
}

func (o outcome) errored() bool { return len(o.problems) > 0 || o.verdict.Status == result.Errored }

func (o outcome) String() string {
	if o.broken != nil {
		return "it could not be run: " + o.broken.Error()
	}
	if len(o.problems) > 0 {
		return "refused: " + o.problems[0].Msg
	}
	v := &o.verdict
	text := v.Status.String()
	if v.Score != nil {
		text += " with score " + strconv.FormatFloat(*v.Score, 'f', -1, 64)
	}
	return strings.TrimRight(text+": "+v.Error+v.SkipReason+v.Explanation, ": ")
}

// differs is the first unmet expectation, as text; "": all are met.
func (v *Vector) differs(o outcome) string {
	if o.broken != nil {
		return "a verdict"
	}
	for _, key := range slices.Sorted(maps.Keys(v.Expect)) {
		want := v.Expect[key]
		ok, err := o.meets(key, want)
		switch {
		case err != nil:
			return fmt.Sprintf("%s %s (%v)", key, want, err)
		case !ok:
			return key + " " + string(want)
		}
	}
	if len(v.Expect) == 0 {
		return "something (the vector expects nothing)"
	}
	return ""
}

func (o outcome) meets(key string, want json.RawMessage) (bool, error) {
	switch key {
	case "passed":
		return equalBool(want, o.verdict.Passed)
	case "error":
		return equalBool(want, o.errored())
	case "skipped":
		return equalBool(want, o.verdict.Skipped)
	case "score":
		var score float64
		err := json.Unmarshal(want, &score)
		return err == nil && o.verdict.Score != nil && math.Abs(*o.verdict.Score-score) <= tolerance, err
	case "details":
		return o.details(want)
	case "verdict":
		return o.details(jsonvalue.Object{"verdict": want})
	case "judge_called":
		return equalBool(want, o.judged)
	case "judge_prompt_contains", "judge_prompt_excludes":
		var texts []string
		err := json.Unmarshal(want, &texts)
		found := func(text string) bool { return strings.Contains(o.prompt, text) == (key == "judge_prompt_contains") }
		return err == nil && every(texts, found), err
	case "request":
		if o.request == nil {
			return false, nil
		}
		text, err := o.request.differs(want)
		if text != "" {
			err = fmt.Errorf("it was sent with %s", text)
		}
		return text == "", err
	case "stdin":
		w, err := chat.DecodeJSON(want)
		return err == nil && o.stdin != nil && subset(w, o.stdin), err
	case "stdin_params_absent":
		var names []string
		err := json.Unmarshal(want, &names)
		fields, started := o.stdin.(jsonvalue.Object)
		params, _ := fields["params"].(jsonvalue.Object)
		absent := func(name string) bool { _, there := params[name]; return !there }
		return err == nil && started && every(names, absent), err
	case "tool_args":
		w, err := chat.DecodeJSON(want)
		return err == nil && o.args != nil && jsonvalue.Equal(w, o.args), err
	}
	return false, fmt.Errorf("this version cannot tell whether that holds")
}

// details reports whether the details of the verdict have all that is wanted.
func (o outcome) details(want any) (bool, error) {
	w, err := chat.DecodeJSON([]byte(jsonvalue.Compact(want)))
	if err != nil {
		return false, err
	}
	g, err := chat.DecodeJSON([]byte(jsonvalue.Compact(o.verdict.Details)))
	return err == nil && subset(w, g), err
}

func every(texts []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !holds(text) })
}

func equalBool(want json.RawMessage, got bool) (bool, error) {
	var b bool
	err := json.Unmarshal(want, &b)
	return err == nil && b == got, err
}

// subset reports whether got has all that want has: objects may have more, lists may not.
func subset(want, got any) bool {
	switch w := want.(type) {
	case jsonvalue.Object:
		g, ok := got.(jsonvalue.Object)
		for k, v := range w {
			if !ok || !subset(v, g[k]) {
				return false
			}
		}
		return ok
	case []any:
		g, ok := got.([]any)
		if !ok || len(w) != len(g) {
			return false
		}
		for i := range w {
			if !subset(w[i], g[i]) {
				return false
			}
		}
		return true
	}
	return jsonvalue.Equal(want, got)
}
