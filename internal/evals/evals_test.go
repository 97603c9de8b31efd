package evals

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// defined are eval definitions in a list, compiled.
func defined(t *testing.T, list string) []*Definition {
	t.Helper()
	var compiler checks.Compiler
	var problems diag.List
	defs := scenario.ReadEvals("pack.yaml", []byte(list), func(c *scenario.Check, d *diag.List) {
		if compiled := compiler.Compile(c, d); compiled != nil {
			c.Compiled = compiled
		}
	}, &problems)
	if problems.Errors() > 0 {
		t.Fatal(problems.Sorted())
	}
	return defs
}

// some are evals by every kind of check, in the groups of their own or in others.
const some = `[
	{id: text, type: content_includes, trigger: every_turn, params: {patterns: [a]}},
	{id: off, type: regex, trigger: every_turn, params: {pattern: a}, enabled: false},
	{id: likeness, type: cosine_similarity, trigger: sample_turns, params: {reference: a}, groups: []},
	{id: model, type: llm_judge, trigger: on_session_complete, params: {criteria: a}, threshold: {min_score: 0.5}},
	{id: own, type: llm_judge, trigger: on_conversation_complete, params: {criteria: a}, groups: [safety, cheap]},
	{id: wrapped, type: assertion, trigger: sample_sessions, params: {
		eval_type: not, eval_params: {check: {type: regex, params: {pattern: a}}}, max_score: 1}},
]`

func ids(set Set) string {
	var all []string
	for _, e := range set {
		all = append(all, e.ID)
	}
	return strings.Join(all, " ")
}

func TestSet(t *testing.T) {
	t.Parallel()
	set := New(defined(t, some))
	if got := ids(set); got != "text likeness model own wrapped" {
		t.Error(got)
	}
	var gates []string
	for _, e := range set {
		if e.Gates() {
			gates = append(gates, e.ID)
		}
	}
	if diff := cmp.Diff([]string{"model", "wrapped"}, gates); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for phase, want := range map[Phase]string{
		AfterTurn: "text", AfterStep: "", SessionEnd: "model", ConversationEnd: "own", Never: "",
	} {
		if got := ids(set.Due(phase, "2031-07-04", 7)); got != want { // 5% do not hit it
			t.Errorf("%d: %q, want %q", phase, got, want)
		}
	}
	raw := scenario.ReadEvals("p", []byte(`[{id: a, type: nothing, trigger: every_turn}]`), nil, &diag.List{})
	if got := New(raw); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// TestSamples: as many turns are taken as the percentage says, and of sessions either all turns or none.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, percentage := range []float64{0, 0.5, 33.3, 100} {
		turns := &Definition{Enabled: true, Trigger: scenario.TriggerSampleTurns, SamplePct: percentage}
		sessions := &Definition{Enabled: true, Trigger: scenario.TriggerSampleSessions, SamplePct: percentage}
		hits := 0
		const n = 20_000
		for turn := range n {
			if Due(turns, AfterTurn, "session", turn) {
				hits++
			}
			if Due(sessions, SessionEnd, "session", turn) != Due(sessions, SessionEnd, "session", 0) {
				t.Fatal("a session is taken in parts")
			}
		}
		if share := float64(hits) / n * 100; share < percentage-1 || share > percentage+1 {
			t.Errorf("%g%% of the turns, want %g%%", share, percentage)
		}
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		filter Filter
		want   string
	}{
		{"nothing", Filter{}, "text likeness model own wrapped"},
		{"skip", Filter{Skip: true}, ""},
		{"an automatic group", Filter{Groups: []string{"fast-running"}}, "text wrapped"},
		{"another", Filter{Groups: []string{" long-running "}}, "likeness model"},
		{"external", Filter{Groups: []string{"external"}}, "model"},
		{"the default group", Filter{Groups: []string{"default"}}, "text likeness model wrapped"},
		{"a group of its own", Filter{Groups: []string{"safety", ""}}, "own"},
		{"two groups", Filter{Groups: []string{"cheap", "fast-running"}}, "text own wrapped"},
		{"a type", Filter{Types: []string{"llm_judge"}}, "model own"},
		{"another name of a type", Filter{Types: []string{"contains", "not"}}, "text wrapped"},
		{"both", Filter{Types: []string{"llm_judge"}, Groups: []string{"safety"}}, "own"},
	} {
		defs := defined(t, some)
		// The definitions of a suite stand in three places.
		suite := &scenario.Suite{Projects: []*scenario.Project{{
			PackEvals: defs[:2], ArenaEvals: defs[2:4], Prompts: []*scenario.Prompt{{Evals: defs[4:]}},
		}}}
		var d diag.List
		c.filter.Apply(suite, &d)
		if got := ids(New(defs)); got != c.want || d.Errors() > 0 {
			t.Errorf("%s: %q, want %q %v", c.name, got, c.want, d.Sorted())
		}
	}
}

func TestFilterThatMeansNothing(t *testing.T) {
	t.Parallel()
	suite := &scenario.Suite{Projects: []*scenario.Project{{PackEvals: defined(t, some)}, {}}}
	for _, c := range []struct {
		filter Filter
		suite  *scenario.Suite
		want   []string
	}{
		{Filter{Groups: []string{"saftey", "external"}}, suite,
			[]string{`--eval-groups saftey: no eval of this run is in that group; did you mean "safety"?`}},
		{Filter{Groups: []string{"nightly"}}, suite, []string{"--eval-groups nightly: no eval of this run is in that group; " +
			"known: cheap, default, external, fast-running, long-running, safety"}},
		{Filter{Types: []string{"json_valid", "llm_judge"}}, suite, []string{"--eval-types json_valid: no eval of this run " +
			"is of that type; known: content_includes, cosine_similarity, llm_judge, not, regex"}},
		{Filter{Types: []string{"regex"}}, &scenario.Suite{}, []string{
			"--eval-types regex: no eval of this run is of that type; the run has no evals"}},
		{Filter{Groups: []string{"fast-running"}}, &scenario.Suite{}, nil},
		{Filter{Types: []string{"contains"}, Groups: []string{"external"}}, &scenario.Suite{Projects: []*scenario.Project{
			{PackEvals: defined(t, some)},
		}}, []string{"--eval-groups external and --eval-types contains leave out every eval of this run, also those with a " +
			"threshold; known groups: cheap, default, external, fast-running, long-running, safety; to run without evals, " +
			"pass --skip-evals"}},
		{Filter{Types: []string{"contains"}, Groups: []string{"external"}}, &scenario.Suite{Projects: []*scenario.Project{
			{PackEvals: defined(t, some)[:3]}, // none has a threshold
		}}, nil},
	} {
		var d diag.List
		c.filter.Apply(c.suite, &d)
		var got []string
		for _, p := range d.Sorted() {
			got = append(got, p.Msg+"; "+p.Hint)
		}
		slices.Sort(got)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.filter, diff)
		}
	}
}
