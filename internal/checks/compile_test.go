package checks

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// checkOf reads one check from YAML as the loader does.
func checkOf(t *testing.T, text string) *scenario.Check {
	t.Helper()
	var problems diag.List
	r := &node.Reader{File: "refund.yaml", Diags: &problems}
	docs := node.Parse(r, []byte(text))
	if len(docs) != 1 || problems.Errors() > 0 {
		t.Fatalf("%s: %v", text, problems.Sorted())
	}
	n := docs[0]
	typ := node.Get(n, "type")
	c := &scenario.Check{Type: typ.Value, Pos: r.Pos(typ), Params: node.Get(n, "params")}
	c.ParamsPos = c.Pos
	if c.Params != nil {
		c.ParamsPos = r.Pos(c.Params)
	}
	threshold := func(key string) *float64 {
		v := node.Get(n, key)
		if v == nil {
			return nil
		}
		f, _ := r.Float(v, key, -10, 10)
		return &f
	}
	c.MinScore, c.MaxScore, c.PassThreshold = threshold("min_score"), threshold("max_score"), threshold("pass_threshold")
	if m := node.Get(n, "message"); m != nil {
		c.Message = m.Value
	}
	return c
}

// report compiles a check and lists its problems as line:col [code] text = hint.
func report(t *testing.T, c *Compiler, spec *scenario.Check) (*Compiled, []string) {
	t.Helper()
	var problems diag.List
	compiled := c.Compile(spec, &problems)
	var lines []string
	for _, p := range problems.Sorted() {
		line := fmt.Sprintf("%d:%d %s [%s] %s", p.Pos.Line, p.Pos.Col, p.Severity, p.Code, p.Msg)
		if p.Hint != "" {
			line += " = " + p.Hint
		}
		lines = append(lines, line)
	}
	return compiled, lines
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		lenient    bool
		want       []string
		ok         bool
	}{
		{
			name: "unknown check", text: "type: tool_caled\n",
			want: []string{`1:7 error [unknown-check] unknown check "tool_caled" = ` +
				"did you mean \"tool_called\"? `arena checks` lists all of them"},
		},
		{
			name: "nothing like it", text: "type: xyzzy_plugh\n",
			want: []string{"1:7 error [unknown-check] unknown check \"xyzzy_plugh\" = `arena checks` lists all of them"},
		},
		{
			name: "names tell case apart", text: "type: Contains\n",
			want: []string{`1:7 error [unknown-check] unknown check "Contains" = ` +
				"did you mean \"contains\"? `arena checks` lists all of them"},
		},
		{
			name: "all problems at once",
			text: "type: contains\nparams:\n  pattern: [a]\n  case_sensitive: maybe\n  min_score: 2\n",
			want: []string{
				`3:3 error [missing-parameter] contains: missing parameter "patterns" (list of text) = add patterns: […]`,
				`3:3 error [unknown-parameter] contains: unknown parameter "pattern" = did you mean "patterns" (list of text)?`,
				`4:19 error [wrong-type] contains: case_sensitive must be true or false, found text "maybe" = ` +
					"write case_sensitive: true or case_sensitive: false",
				`5:14 error [out-of-range] contains: min_score must be between 0 and 1, found 2`,
			},
		},
		{
			name: "a threshold with a typing mistake", text: "type: contains\nparams: {patterns: [a], min_scor: 1}\n",
			want: []string{`2:25 error [unknown-parameter] contains: unknown parameter "min_scor" = did you mean "min_score"?`},
		},
		{
			name: "lenient", lenient: true, ok: true,
			text: "type: contains\nparams: {patterns: [a], fuzzy: true}\n",
			want: []string{`2:25 warning [unknown-parameter] contains: unknown parameter "fuzzy" = ` +
				`parameters: patterns (list of text), case_sensitive (true or false)`},
		},
		{
			name: "a field one level too deep", text: "type: json_valid\nparams:\n  when: {any_tool_called: true}\n",
			want: []string{`3:3 error [unknown-parameter] json_valid: unknown parameter "when" = ` +
				`write it beside "params", not inside`},
		},
		{
			name: "params are a list", text: "type: contains\nparams: [a]\n",
			want: []string{`2:9 error [wrong-type] contains: params must be a map of parameters = ` +
				`parameters: patterns (list of text), case_sensitive (true or false)`},
		},
		{
			name: "params are left empty", text: "type: contains\nparams:\n",
			want: []string{`2:8 error [missing-parameter] contains: missing parameter "patterns" (list of text) = write params: {patterns: […]} below the type`},
		},
		{
			name: "a key twice", text: "type: contains\nparams:\n  patterns: [a]\n  patterns: [b]\n",
			want: []string{`4:3 error [duplicate-key] key "patterns" is already set on line 3 = keep one of the two`},
		},
		{
			name: "thresholds that contradict",
			text: "type: contains\nmin_score: 0.4\nparams: {patterns: [a], min_score: 0.5}\n",
			want: []string{`3:36 error [conflicting-threshold] contains: min_score is 0.5 here and 0.4 in another place of ` +
				`the same check = keep one of the two`},
		},
		{
			name: "thresholds that agree", text: "type: contains\nmin_score: 0.5\nparams: {patterns: [a], min_score: 0.5}\n",
			ok: true,
		},
		{
			name: "an empty window", text: "type: contains\nmax_score: 0.2\nparams: {patterns: [a], min_score: 0.5}\n",
			want: []string{`3:9 error [out-of-range] contains: min_score 0.5 is above max_score 0.2, so no score passes`},
		},
		{
			name: "thresholds beside params", text: "type: json_valid\nmin_score: -1\npass_threshold: 1.5\n",
			want: []string{
				`1:7 error [out-of-range] json_valid: min_score must be between 0 and 1, found -1`,
				`1:7 error [out-of-range] json_valid: pass_threshold must be between 0 and 1, found 1.5`,
			},
		},
		{
			name: "a threshold that is text", text: "type: json_valid\nparams: {min_score: \"0.5\"}\n",
			want: []string{`2:21 error [wrong-type] json_valid: min_score must be a number, found text "0.5" = ` +
				`write it without quotes: 0.5`},
		},
		{
			name: "the long spelling without a check", text: "type: assertion\nparams: {eval_params: {patterns: [a]}}\n",
			want: []string{`2:9 error [missing-parameter] assertion: missing parameter "eval_type" (name of a check)`},
		},
		{
			name: "the long spelling without anything", text: "type: assertion\n",
			want: []string{`1:7 error [missing-parameter] assertion: missing parameter "eval_type" (name of a check)`},
		},
		{
			name: "the long spelling of itself", text: "type: assertion\nparams: {eval_type: assertion}\n",
			want: []string{`2:21 error [unknown-check] assertion cannot wrap itself`},
		},
		{
			name: "the long spelling of a mistake",
			text: "type: assertion\nparams:\n  eval_type: contians\n  eval_params: {}\n",
			want: []string{`3:14 error [unknown-check] unknown check "contians" = ` +
				"did you mean \"contains\"? `arena checks` lists all of them"},
		},
		{
			name: "mistakes at every level of the long spelling",
			text: "type: assertion\nparams:\n  eval_type: contains\n  eval_params: {words: a}\n  min_scor: 1\n",
			want: []string{
				`4:16 error [missing-parameter] contains: missing parameter "patterns" (list of text) = add patterns: […]`,
				`4:17 error [unknown-parameter] contains: unknown parameter "words" = did you mean "patterns" (list of text)?`,
				`5:3 error [unknown-field] unknown field "min_scor" in assertion = did you mean "min_score"?`,
			},
		},
		{
			name: "two labels", ok: true,
			text: "type: contains\nmessage: outer\nparams: {patterns: [a], message: inner}\n",
			want: []string{`3:34 warning [ignored-parameter] contains: message is ignored because it is given outside ` +
				`params too`},
		},
		{
			name: "an empty canonical spelling gives way", ok: true,
			text: "type: tools_called\nparams: {tool_names: [], tools: [a]}\n",
		},
		{
			name: "two aliases", ok: true,
			text: "type: max_length\nparams: {max_chars: 5, max_characters: 6}\n",
			want: []string{`2:21 warning [ignored-parameter] max_length: "max_chars" is ignored because ` +
				`"max_characters" is given too`},
		},
		{
			name: "numbers in a list of text are taken as written", ok: true,
			text: "type: contains\nparams: {patterns: [42, 1.50, true]}\n",
		},
		{
			name: "lists in a list of text", text: "type: contains\nparams: {patterns: [[a], null]}\n",
			want: []string{
				`2:21 error [wrong-type] contains: patterns[0] must be text, found a list = write a`,
				`2:26 error [wrong-type] contains: patterns[1] must be text, found nothing = ` +
					"give it a value, or remove the entry",
			},
		},
		{
			name: "a number that is left empty", text: "type: max_length\nparams: {max: }\n",
			want: []string{`2:15 error [wrong-type] max_length: max must be a whole number, found nothing = write max: 3`},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			compiled, got := report(t, &Compiler{Lenient: tc.lenient}, checkOf(t, tc.text))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if (compiled != nil) != tc.ok {
				t.Errorf("compiled: %v", compiled != nil)
			}
		})
	}
}

func TestWhatIsCompiled(t *testing.T) {
	t.Parallel()
	spec := checkOf(t, `type: assertion
params:
  eval_type: banned_words
  eval_params: {words: a, max_score: 0.5}
  min_score: 0.25
  message: stay polite
`)
	spec.PassThreshold = new(0.5)
	c, problems := report(t, &Compiler{}, spec)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if c.Type != "banned_words" || c.Def != contentExcludesDef || c.Message != "stay polite" || c.Pos != spec.Pos {
		t.Errorf("%+v", c)
	}
	if *c.MinScore != 0.25 || *c.MaxScore != 0.5 || *c.PassThreshold != 0.5 || c.When != nil {
		t.Errorf("%+v", c)
	}
}

func TestWhenIsCompiled(t *testing.T) {
	t.Parallel()
	spec := checkOf(t, "type: json_valid\n")
	spec.When = &scenario.When{ToolCalledPattern: "(", MinToolCalls: -1}
	spec.When.PatternPos = diag.Pos{File: "refund.yaml", Line: 9, Col: 3}
	_, problems := report(t, &Compiler{}, spec)
	want := []string{
		"1:7 error [out-of-range] json_valid: when: min_tool_calls must be at least 0, found -1",
		"9:3 error [bad-regex] json_valid: when: tool_called_pattern is not a regular expression: missing closing ): `(`" +
			` = for the character itself write \( or \), in single quotes`,
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Error(diff)
	}
}

func TestGuardrailsTakeADirection(t *testing.T) {
	t.Parallel()
	for direction, want := range map[string]string{
		"both": "", "sideways": `cannot be "sideways"; expected one of input, output, both`,
	} {
		spec := checkOf(t, "type: banned_words\nparams: {words: a, direction: "+direction+"}\n")
		spec.Surface = scenario.Guardrail
		_, problems := report(t, &Compiler{}, spec)
		if got := strings.Join(problems, "\n"); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %s", direction, got)
		}
		spec.Surface = scenario.TurnAssertion
		if _, problems = report(t, &Compiler{}, spec); len(problems) != 1 {
			t.Errorf("an assertion has a direction: %v", problems)
		}
	}
}

// TestCompilerIsShared: one compiler serves a suite from many goroutines and builds nothing twice.
func TestCompilerIsShared(t *testing.T) {
	t.Parallel()
	c := &Compiler{}
	var wg sync.WaitGroup
	texts := []string{
		"type: regex\nparams: {pattern: a+}\n",
		"type: json_schema\nparams: {schema: {type: object, required: [a]}}\n",
		"type: json_schema\nparams: {schema: {required: [a], type: object}}\n",
		"type: json_path\nparams: {expression: $.a, expected: 1}\n",
		"type: json_path\nparams: {expression: $.a, expected: 2}\n",
		"type: json_path\nparams: {expression: $., expected: 2}\n",
	}
	for range 8 {
		for _, text := range texts {
			spec := checkOf(t, text)
			wg.Go(func() {
				var problems diag.List
				if compiled := c.Compile(spec, &problems); (compiled == nil) != (problems.Errors() > 0) {
					t.Errorf("%s: %v", text, problems.Sorted())
				}
			})
		}
	}
	wg.Wait()
	if len(c.regexps.seen) != 1 || len(c.schemas.seen) != 1 || len(c.queries.seen) != 2 {
		t.Errorf("built %d regexps, %d schemas, %d paths", len(c.regexps.seen), len(c.schemas.seen), len(c.queries.seen))
	}
}
