package checks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// Agreement is how the checks did on vectors.
type Agreement struct {
	Agree, Total  int // of the vectors that were run
	Disagreements []Disagreement
	Skipped       []SkippedVectors // by type
}

// Disagreement is a vector to which a check says something else.
type Disagreement struct {
	File, Vector string
	Want, Got    string
}

// SkippedVectors are those of one type that this version cannot run.
type SkippedVectors struct {
	Type   string
	Count  int
	Reason string
}

// Verify runs vectors. A type that does not exist at all is run too: refusing it is the right answer.
func Verify(ctx context.Context, files []VectorFile) *Agreement {
	a := &Agreement{}
	compiler := &Compiler{}
	skipped := map[string]*SkippedVectors{}
	for i := range files {
		f := &files[i]
		for j := range f.Vectors {
			v := &f.Vectors[j]
			if reason := v.unavailable(f.Type); reason != "" {
				if skipped[f.Type] == nil {
					skipped[f.Type] = &SkippedVectors{Type: f.Type, Reason: reason}
				}
				skipped[f.Type].Count++
				continue
			}
			a.Total++
			got := v.run(ctx, compiler, f)
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

// Write prints every disagreement, what was left out, and the sum in the last line.
func (a *Agreement) Write(w io.Writer) error {
	var b bytes.Buffer
	for _, d := range a.Disagreements {
		fmt.Fprintf(&b, "%s: %s\n  want  %s\n  got   %s\n", d.File, d.Vector, d.Want, d.Got)
	}
	for _, s := range a.Skipped {
		fmt.Fprintf(&b, "skipped %s: %s (%s)\n", s.Type, count(s.Count, "vector"), s.Reason)
	}
	fmt.Fprintf(&b, "checks: %d/%d vectors agree\n", a.Agree, a.Total)
	_, err := w.Write(b.Bytes())
	return err
}

// unavailable says why this version cannot run the vector; "" when it can.
func (v *Vector) unavailable(name string) string {
	if family, ok := planned()[name]; ok {
		return string(family) + ", not available yet"
	}
	switch {
	case v.Exec != nil:
		return "checks by programs, not available yet"
	case name == scenarioJudge:
		return "scenario judges, not available yet"
	}
	return ""
}

// scenarioJudge is the type that vectors give to the judge of a whole scenario, which is no check.
const scenarioJudge = "judge_verdict"

// outcome is what became of a vector.
type outcome struct {
	problems []diag.Diagnostic // not empty: the check was refused
	verdict  result.Verdict
	args     map[string]any // with which a tool was called; nil: none was
}

func (v *Vector) run(ctx context.Context, c *Compiler, f *VectorFile) outcome {
	compiled, problems := compileJSON(c, f.Type, string(v.Params), f.Scope, v.When)
	if compiled == nil {
		return outcome{problems: problems}
	}
	s, tools := v.subject(f.Scope)
	return outcome{verdict: compiled.Judge(ctx, s), args: tools.called()}
}

func (o outcome) errored() bool { return len(o.problems) > 0 || o.verdict.Status == result.Errored }

func (o outcome) String() string {
	if len(o.problems) > 0 {
		return "refused: " + o.problems[0].Msg
	}
	v := &o.verdict
	text := v.Status.String()
	if v.Score != nil {
		text += " with score " + decimal(*v.Score)
	}
	return strings.TrimRight(text+": "+v.Error+v.SkipReason+v.Explanation, ": ")
}

// differs is the first expectation that does not hold, as text; "" when all do.
func (v *Vector) differs(o outcome) string {
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

// tolerance of scores in vectors.
const tolerance = 1e-6

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
		w, err := chat.DecodeJSON(want)
		if err != nil {
			return false, err
		}
		g, err := chat.DecodeJSON([]byte(compactJSON(o.verdict.Details)))
		return err == nil && subset(w, g), err
	case "tool_args":
		w, err := chat.DecodeJSON(want)
		return err == nil && o.args != nil && equalJSON(w, o.args), err
	}
	return false, fmt.Errorf("this version cannot tell whether that holds")
}

func equalBool(want json.RawMessage, got bool) (bool, error) {
	var b bool
	err := json.Unmarshal(want, &b)
	return err == nil && b == got, err
}

// subset reports whether got has all that want has: objects may have more, lists may not.
func subset(want, got any) bool {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
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
	return equalJSON(want, got)
}
