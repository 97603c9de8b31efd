package checks

import (
	"maps"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// leastOnPurpose are limits that are useful at their natural bound.
var leastOnPurpose = map[string]string{
	"json_path min_results": "0 asks for a list of any length, where another value or none fails",
}

// TestLimitsThatNothingBreaks: every check warns of a limit that every measured value keeps.
func TestLimitsThatNothingBreaks(t *testing.T) {
	t.Parallel()
	tried := 0
	eachField(func(check, path string, _ *layout, f *field, wrap func(any) map[string]any) {
		bound, limit := naturalBound(f)
		if !limit || strings.Contains(path, ".") {
			return
		}
		tried++
		told := false
		for _, params := range exampleParams(t, check) {
			maps.DeleteFunc(params, func(key string, _ any) bool { return isLimit(key) })
			maps.Copy(params, wrap(bound))
			c, problems := compileJSON(&Compiler{}, check, jsonvalue.Compact(params), ScopeTurn, nil)
			told = told || c != nil && warns(problems, f.Name)
		}
		if _, purpose := leastOnPurpose[check+" "+path]; told == purpose {
			t.Errorf("%s: %s: %v is told of: %v", check, path, bound, told)
		}
	})
	if tried < 15 {
		t.Errorf("only %d limits were tried", tried)
	}
}

func isLimit(name string) bool {
	return regexp.MustCompile(`^(min|max|threshold)(_|$)`).MatchString(name)
}

// naturalBound is the value of a limit that every measured value keeps.
func naturalBound(f *field) (any, bool) {
	switch bounds, _ := f.Shape.(keys.Number); {
	case !isLimit(f.Name):
		return nil, false
	case strings.HasPrefix(f.Name, "max"):
		return bounds.High, bounds.High != 0 && !math.IsInf(bounds.High, 1)
	default:
		return bounds.Low, bounds != keys.Number{} && bounds.Low == 0 && !bounds.Above
	}
}

// exampleParams are the parameters in the examples of a check.
func exampleParams(t *testing.T, check string) []map[string]any {
	t.Helper()
	d, _ := Lookup(check)
	nodes, err := d.exampleNodes(&diag.List{})
	if err != nil {
		t.Fatal(err)
	}
	all := []map[string]any{{}}
	for _, n := range nodes {
		if m, ok := (&node.Reader{Diags: &diag.List{}}).Any(node.Get(n, "params")).(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

var idleCodes = []string{"cannot-fail", "cannot-hold", "asks-nothing"}

func warns(problems []diag.Diagnostic, about string) bool {
	return slices.ContainsFunc(problems, func(p diag.Diagnostic) bool {
		return slices.Contains(idleCodes, p.Code) && p.Severity == diag.Warning && strings.Contains(p.Msg, about) &&
			p.Hint != "" && p.Pos.Line > 0
	})
}

// TestPatternsThatMatchEverything: every parameter with patterns warns of one that matches every text.
func TestPatternsThatMatchEverything(t *testing.T) {
	t.Parallel()
	eachField(func(check, path string, _ *layout, f *field, wrap func(any) map[string]any) {
		if !strings.Contains(f.Shape.Label(), "regular expression") || f.codec.inner != nil {
			return
		}
		v := map[string]any{
			"regular expression": "x*", "list of regular expression": []any{"y", "x*"},
			"map to regular expression": map[string]any{"id": "x*"},
		}[f.Shape.Label()]
		given := wrap(v)
		for _, key := range []string{"tool", "tool_name"} { // whose else
			if d, _ := Lookup(check); slices.ContainsFunc(d.Params(), func(p Param) bool { return p.Name == key && p.Required }) {
				given[key] = "look_up"
			}
		}
		if steps, ok := given["steps"].([]any); ok {
			steps[0].(map[string]any)["tool"] = "look_up"
		}
		c, problems := compileJSON(&Compiler{}, check, jsonvalue.Compact(given), ScopeTurn, nil)
		if c == nil || !warns(problems, f.Name) {
			t.Errorf("%s: %s: %v", check, path, problems)
		}
	})
}

func TestMatchesAll(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		`x*`: true, `.*`: true, `NOPE|`: true, `|NOPE`: true, `(a?|b)c{0,3}`: true, `^`: true, `$`: true, `^.*`: true, `.*$`: true,
		`(?s)^.*$`: true, `^[\s\S]*$`: true, `(?i)`: true, `(^|x)y*`: true, `(?:)`: true, `(?m)^`: true, `(a*)+`: true, `\z`: true,
		`^(.|\n)*$`: false, // it matches everything, but that is hard to prove
		`x+`:        false, `^.*$`: false, `^$`: false, `^x*$`: false, `\b`: false, `\B`: false, `.+`: false, `.`: false,
		`(?s).`: false, `[\s\S]`: false, `a|b`: false, `^\s*$`: false,
	} {
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := node.MatchesAll(tree); got != want {
			t.Errorf("%q: %v, want %v", pattern, got, want)
		}
		re := regexp.MustCompile(pattern)
		for _, text := range []string{"", "\n", "a", "NOPE", "x\ny", "\xff", "é  z", "1\n\n2\n"} {
			if want && !re.MatchString(text) {
				t.Errorf("%q does not match %q", pattern, text)
			}
		}
	}
}

func TestWhatCannotFail(t *testing.T) {
	t.Parallel()
	const (
		more    = " = write more, or take it out; to only measure, write an eval without a threshold"
		less    = " = write less, or take it out; to only measure, write an eval without a threshold"
		all     = "the pattern matches every text, for it can match nothing at all = write what must be there: x+ in place of x*, and no | at an end"
		no      = ", so that the not around it cannot hold: "
		notFail = ", so that the not around it cannot fail: "
	)
	for _, tc := range []struct {
		name, text string
		surface    scenario.Surface
		want       []string
	}{
		{name: "min_score", text: "type: json_valid\nparams: {min_score: 0}",
			want: []string{"2:21 warning [cannot-fail] json_valid: min_score 0: the check cannot fail: every score is at least that" + more}},
		{name: "max_score", text: "type: json_valid\nparams: {max_score: 1}",
			want: []string{"2:21 warning [cannot-fail] json_valid: max_score 1: the check cannot fail: no score is above that" + less}},
		{name: "both", text: "type: json_valid\nparams: {min_score: 0, max_score: 1}",
			want: []string{"2:21 warning [cannot-fail] json_valid: min_score 0: the check cannot fail: every score is at least that" + more}},
		{name: "a range", text: "type: json_valid\nparams: {min_score: 0, max_score: 0.5}"},
		{name: "another range", text: "type: json_valid\nparams: {min_score: 0.5, max_score: 1}"},
		{name: "the threshold takes the place of the limit", text: "type: levenshtein\nparams: {reference: a, min_similarity: 0, min_score: 0.5}",
			want: []string{"2:40 warning [asks-nothing] levenshtein: min_similarity 0 asks for nothing: every reply is as similar as that = write more, or take it out"}},
		{name: "trials", text: "type: json_valid\npass_threshold: 0",
			want: []string{"1:7 warning [cannot-fail] json_valid: pass_threshold 0: the check cannot fail: no trial needs to hold = write the share of the trials that must hold, or take it out: then all must"}},
		{name: "a guardrail", text: "type: regex\nparams: {pattern: x*}", surface: scenario.Guardrail,
			want: []string{"2:19 warning [cannot-fail] regex: pattern: the check can never fire: " + all}},
		{name: "a guardrail that always fires", text: "type: regex\nparams: {pattern: x*, expect_match: false}", surface: scenario.Guardrail,
			want: []string{"2:19 warning [cannot-hold] regex: pattern: the check always fires: " + all}},
		{name: "turned round by its threshold", text: "type: regex\nparams: {pattern: x*, max_score: 0.5}",
			want: []string{"2:19 warning [cannot-hold] regex: pattern: the check cannot hold: " + all}},
		{name: "turned round twice", text: "type: regex\nparams: {pattern: x*, expect_match: false, max_score: 0.5}",
			want: []string{"2:19 warning [cannot-fail] regex: pattern: the check cannot fail: " + all}},
		{name: "not", text: "type: not\nparams: {check: {type: regex, params: {pattern: x*}}}",
			want: []string{"2:49 warning [cannot-hold] regex: pattern: the check cannot fail" + no + all}},
		{name: "not what cannot hold", text: "type: not\nparams: {check: {type: regex, params: {pattern: x*, expect_match: false}}}",
			want: []string{"2:49 warning [cannot-fail] regex: pattern: the check cannot hold" + notFail + all}},
		{name: "not not", text: "type: not\nparams: {check: {type: not, params: {check: {type: regex, params: {pattern: x*}}}}}",
			want: []string{"2:77 warning [cannot-fail] regex: pattern: the check cannot fail: " + all}},
		{name: "any of", text: "type: any_of\nparams: {checks: [{type: json_valid, min_score: 0}, {type: json_valid}]}",
			want: []string{"2:49 warning [cannot-fail] json_valid: min_score 0: the check cannot fail: every score is at least that" + more}},
		{name: "weighted, and a part that gates", text: "type: weighted\nparams: {threshold: 0, checks: [{type: json_valid, min_score: 0.5}]}"},
		{name: "any value on purpose", text: "type: tool_calls_with_args\nparams: {tool_name: a, args_match: {id: '.*'}}"},
		{name: "no calls or some", text: "type: tool_call_count\nparams: {min: 0, max: 3}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			spec := checkOf(t, tc.text)
			spec.Surface = tc.surface
			_, got := report(t, &Compiler{}, spec)
			got = slices.DeleteFunc(got, func(p string) bool { return strings.Contains(p, "[turned-round]") })
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
