package runner

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// leftOut are the fields that change no fingerprint, with the reason.
var leftOut = map[string]string{
	"Project.File": place, "Project.Dir": place, "Scenario.File": place, "Prompt.File": place, "Provider.File": place,
	"Provider.Dir": place, "Provider.MockFile": place, "Tool.File": place, "MockFile.File": place, "Handler.Dir": place,
	"ExecTool.Dir": place, "Program.Dir": place, "Server.Dir": place,
	"RecordingEval.File":       place,
	"RecordingEval.PassedOver": "files that are not judged",
	"RareTurn.RowMedia":        "the media of the row count, by their content",

	"Project.Prompts": others, "Project.Providers": others, "Project.Scenarios": others, "Project.Evals": others, "Project.AllScenarios": others,

	"Agent.URL": filled, "Agent.Headers": filled, "Agent.Token": key,
	"HTTPTool.URL": filled, "HTTPTool.Headers": filled, "Provider.APIKey": key, "Provider.KeyEnv": key, "Provider.KeyFile": key, "Provider.KeyUnset": key, "Provider.MisplacedKey": key, "Provider.Unset": filled, "Provider.Grouped": others, "Provider.GroupPos": others,
	"Agent.Unset": filled, "HTTPTool.Unset": filled, "HTTPAgent.Filled": filled, "HTTPAgent.FromEnv": filled,

	"Provider.RPS": pace, "Provider.Burst": pace, "Provider.MaxConcurrent": pace, "Provider.Retry": pace,
	"Provider.Transport": pace, "Provider.Breaker": pace,
	"Defaults.Concurrency": pace,
	"Eval.LeftOut":         "of a flag: it is not enabled then, which counts",
	"Defaults.RunLimit":    "of a flag: how long is waited, and a recording is not waited for",

	"Prompt.Shapes": shape, "Scenario.Shapes": shape, "Variable.Shape": shape,

	"Defaults.Trials": "the same", "Scenario.Trials": "of a trial its number counts, and not how many others there are",

	"Scenario.Dataset":    "of a trial its row counts, and not which others there are, or where",
	"Scenario.Quarantine": "says what the run comes to, and changes no trial",
	"Scenario.Row":        "is summed by itself, see Fingerprints.scenario",

	"Scenario.places": place,

	"RareTurn.Perturbations": "of a trial its variant counts, and not which others there are",

	"Media.SHA256": ofBytes, "Media.Size": ofBytes, "Media.Content": ofBytes,
	"Defaults.PrivateHosts": "it says what may be reached, and not what is there",

	"Defaults.FailOn": after, "Defaults.Output": after,

	"Project.Later": "a plan that needs it is refused", "Project.Getenv": "what was read with it is in the fields",
	"Project.Dotenv": "the same", "Project.Prices": "those that a provider may need count with it",
	"Check.Compiled": written, "Check.Early": written, "Check.Unknown": written, "Check.Handlers": written,
	"Check.Description": "it is its message",
	"Check.Settled":     written, "Project.Open": "each stands in its place",
	"Workflow.Graph": written, "Workflow.at": place,
	"Check.Filled":      "what was written counts, and so do the variables",
	"Tool.Run":          "a function of a Go program, of which nothing can be summed up",
	"Persona.Loose":     "it decides only what is told before a run",
	"MockReply.PartPos": place, "MockReply.ResultPos": place, "Tool.MockPartPos": place,
	"Placed.Compiled": written, "MockReply.Places": place, "MockFile.Calls": written, "TurnMock.Calls": written,
}

const (
	place   = "where a file lies; its content counts"
	others  = "those of a trial count by themselves"
	key     = "whose key it is decides nothing"
	pace    = "how fast calls follow each other"
	after   = "what happens to results"
	shape   = "the value counts; where its shape matters, the project is refused"
	ofBytes = "of messages; what a file names counts by its content"
	written = "made of what the digest sums up"
	filled  = "what the file says counts, and the variables in it by themselves"
)

// countedApart are fields with the same tag that the fingerprint includes in another form.
var countedApart = []string{
	"Provider.Headers", "Provider.BaseURL", "MockFile.Scenarios", "Replay.Recordings", "RecordingEval.Recordings",
}

// TestEveryFieldDecides sets every field that a trial reaches to something else, one after the other.
func TestEveryFieldDecides(t *testing.T) {
	t.Parallel()
	trial, roots := filledTrial()
	opts := &Options{}
	want := NewFingerprints(opts).Of(trial)
	seen := map[string]bool{}
	var walk func(v reflect.Value, path string)
	check := func(v reflect.Value, path, name string, left bool) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		change(v)
		got := NewFingerprints(opts).Of(trial)
		if (got == want) != left {
			t.Errorf("%s (%s): changed: %v; left out: %v", path, name, got != want, left)
		}
		v.Set(old)
	}
	walk = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Pointer:
			if v.Type() != reflect.TypeFor[*node.Node]() && !v.IsNil() {
				walk(v.Elem(), path)
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				f := v.Type().Field(i)
				name, at := v.Type().Name()+"."+f.Name, path+"."+f.Name
				left := f.Tag.Get(digest.Tag) == "-"
				if left {
					seen[name] = true
				}
				if !f.IsExported() || isPosition(f.Type) || slices.Contains(countedApart, name) {
					continue
				}
				check(v.Field(i), at, name, left)
				if !left {
					walk(v.Field(i), at)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(roots)) {
		walk(reflect.ValueOf(roots[name]), name)
	}
	for _, name := range countedApart {
		delete(seen, name)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(leftOut)), slices.Sorted(maps.Keys(seen))); diff != "" {
		t.Errorf("fields that are left out (-reasons +tags):\n%s", diff)
	}
	if again := NewFingerprints(opts).Of(trial); again != want {
		t.Error("the fingerprint is not the same twice")
	}
}

func isPosition(t reflect.Type) bool {
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t == reflect.TypeFor[diag.Pos]()
}

// filledTrial returns a trial in which every field is set, and the values to change.
func filledTrial() (*Trial, map[string]any) {
	p, s, q := &scenario.Project{}, &scenario.Scenario{}, &scenario.Prompt{}
	spec, judge := &scenario.Provider{}, &scenario.Provider{}
	for _, v := range []any{p, s, q, spec, judge} {
		fill(reflect.ValueOf(v).Elem(), map[reflect.Type]bool{})
	}
	s.Skip, p.Workflow.Graph = "", nil
	trial := &Trial{
		Project:  &project{Project: p, judgePrompts: &grading.Prompts{}, judges: judges.New(nil, judges.NewMemory(1))},
		Scenario: s, Prompt: q, Endpoint: &Endpoint{Spec: spec, Simulated: true}, Region: "eu", N: 1, Of: 3,
		Variant: Variant{{0, "city", "Bern"}},
	}
	p.Providers = nil
	return trial, map[string]any{"project": p, "scenario": s, "prompt": q, "provider": spec}
}

// fill sets every field, lists and maps to one element. A type within itself is left empty.
func fill(v reflect.Value, within map[reflect.Type]bool) {
	t := v.Type()
	if t == reflect.TypeFor[node.Node]() || within[t] || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		fill(v.Elem(), within)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 1, 1))
		fill(v.Index(0), within)
	case reflect.Map:
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		fill(key, within)
		fill(value, within)
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		within[t] = true
		for _, field := range v.Fields() {
			fill(field, within)
		}
		delete(within, t)
	default:
		change(v)
	}
}

// change changes a value.
func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Slice:
		more := reflect.New(v.Type().Elem()).Elem()
		if more.Kind() == reflect.Pointer {
			more.Set(reflect.New(more.Type().Elem()))
		}
		if more.Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`"other"`))
			return
		}
		v.Set(reflect.Append(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, 4), v), more))
	case reflect.Array:
		change(v.Index(0))
	case reflect.Map:
		other := reflect.MakeMap(v.Type())
		for k, value := range v.Seq2() {
			other.SetMapIndex(k, value)
		}
		k := reflect.New(v.Type().Key()).Elem()
		switch k.Kind() {
		case reflect.String:
			k.SetString("another key")
		case reflect.Pointer:
			k.Set(reflect.New(k.Type().Elem()))
		default:
			k.SetInt(99)
		}
		other.SetMapIndex(k, reflect.New(v.Type().Elem()).Elem())
		v.Set(other)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Tag.Get(digest.Tag) == "" && f.IsExported() && !isPosition(f.Type) {
				change(v.Field(i))
				return
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
			if _, isNode := reflect.TypeAssert[*node.Node](v); isNode {
				v.Set(reflect.ValueOf(&node.Node{Kind: node.Scalar, Tag: "!!str", Value: "x"}))
			}
		} else {
			v.SetZero()
		}
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[chat.Content]() {
			v.Set(reflect.ValueOf(chat.NewContent([]byte("x"))))
			return
		}
		text, _ := reflect.TypeAssert[string](v)
		v.Set(reflect.ValueOf(text + "x"))
	case reflect.Func:
		v.SetZero()
	}
}

// insignificantOf are changes to a trial that do not affect its conversation.
var insignificantOf = map[string]struct {
	opts  Options
	trial func(*Trial)
}{
	"more trials":     {Options{}, func(t *Trial) { t.Of = 4 }},
	"another index":   {Options{}, func(t *Trial) { t.Index = 4 }},
	"strict":          {Options{Strict: true}, func(t *Trial) { t.Project.strict = true }},
	"lenient":         {Options{}, func(t *Trial) { t.Project.lenient = true }},
	"jobs":            {Options{Jobs: 7}, func(*Trial) {}},
	"max-failures":    {Options{MaxFailures: 1}, func(*Trial) {}},
	"max-cost":        {Options{MaxCost: 1}, func(*Trial) {}},
	"more variants":   {Options{}, func(t *Trial) { t.variantCount, t.N = 5, 4 }},
	"other variants":  {Options{}, func(t *Trial) { t.Scenario.Turns[0].Rare.Perturbations = nil }},
	"of two projects": {Options{}, func(t *Trial) { t.Project.prefix = "other:" }},
}

// TestFingerprintOf covers what is not in a resource.
func TestFingerprintOf(t *testing.T) {
	t.Parallel()
	number, seed := 0.5, int64(7)
	trial := func(change func(*Trial)) *Trial {
		out, _ := filledTrial()
		change(out)
		return out
	}
	same := func(*Trial) {}
	provider := func(change func(*scenario.Provider)) func(*Trial) { return func(t *Trial) { change(t.Endpoint.Spec) } }
	seen := map[string]string{}
	for _, c := range []struct {
		name  string
		opts  Options
		trial func(*Trial)
	}{
		{"nothing", Options{}, same},
		{"temperature", Options{Temperature: &number}, same},
		{"max-tokens", Options{MaxTokens: new(int)}, same},
		{"seed", Options{Seed: &seed}, same},
		{"on-failure", Options{OnFailure: "stop"}, same},
		{"replay", Options{}, provider(func(p *scenario.Provider) { p.Type = scenario.ReplayType })},
		{"strict replay", Options{}, func(t *Trial) { t.Endpoint.Spec.Type, t.Project.strict = scenario.ReplayType, true }},
		{"mock", Options{}, provider(func(p *scenario.Provider) { p.Type = scenario.MockType })},
		{"lenient mock", Options{}, func(t *Trial) { t.Endpoint.Spec.Type, t.Project.lenient = scenario.MockType, true }},
		{"evals", Options{Only: []string{"tone"}}, same},
		{"region", Options{}, func(t *Trial) { t.Region = "us" }},
		{"number", Options{}, func(t *Trial) { t.N = 2 }},
		{"variant", Options{}, func(t *Trial) { t.Variant = Variant{{0, "city", "Basel"}} }},
		{"no variant", Options{}, func(t *Trial) { t.Variant = nil }},
		{"no prompt", Options{}, func(t *Trial) { t.Prompt = nil }},
		{"dispatch", Options{}, func(t *Trial) { t.Project.basis.dispatch = Dispatched }},
		{"mocked", Options{}, func(t *Trial) { t.Project.basis.mocked = true }},
		{"header", Options{}, provider(func(p *scenario.Provider) { p.Headers = map[string]string{"X-Team": "a"} })},
		{"other header", Options{}, provider(func(p *scenario.Provider) { p.Headers = map[string]string{"X-Team": "b"} })},
		{"address", Options{}, provider(func(p *scenario.Provider) { p.BaseURL = "http://a/v1" })},
		{"other address", Options{}, provider(func(p *scenario.Provider) { p.BaseURL = "http://b/v1" })},
		{"mock replies", Options{}, func(t *Trial) {
			t.Endpoint.Spec.Mock.Scenarios = map[string]*scenario.MockScenario{
				t.Scenario.ID: {Turns: []scenario.MockTurn{scenario.NewMockTurn(1, scenario.MockReply{Content: "Hi"})}},
			}
		}},
		{"other mock replies", Options{}, func(t *Trial) {
			t.Endpoint.Spec.Mock.Scenarios = map[string]*scenario.MockScenario{
				t.Scenario.ID: {Turns: []scenario.MockTurn{scenario.NewMockTurn(1, scenario.MockReply{Content: "Ho"})}},
			}
		}},
	} {
		print := NewFingerprints(&c.opts).Of(trial(c.trial))
		if before, twice := seen[print]; twice {
			t.Errorf("%s is the same as %s", c.name, before)
		}
		seen[print] = c.name
	}
	for name, c := range insignificantOf {
		if got := seen[NewFingerprints(&c.opts).Of(trial(c.trial))]; got != "nothing" {
			t.Errorf("%s: a trial is the same as %q", name, got)
		}
	}
	for name, change := range map[string]func(*scenario.Provider){
		"a key in a header":   func(p *scenario.Provider) { p.Headers = map[string]string{"Authorization": "Bearer b"} },
		"a key in an address": func(p *scenario.Provider) { p.BaseURL = "https://me:b@host/v1?api_key=b" },
		"mock replies of another scenario": func(p *scenario.Provider) {
			p.Mock.Scenarios = map[string]*scenario.MockScenario{"another": {Turns: []scenario.MockTurn{
				scenario.NewMockTurn(1, scenario.MockReply{Content: "b"}),
			}}}
		},
	} {
		a, b := trial(provider(change)), trial(provider(change))
		spec := b.Endpoint.Spec
		spec.BaseURL = strings.ReplaceAll(strings.Replace(spec.BaseURL, ":b@", ":c@", 1), "key=b", "key=c")
		if _, ok := spec.Headers["Authorization"]; ok {
			spec.Headers["Authorization"] = "Bearer c"
		}
		if m := spec.Mock.Scenarios["another"]; m != nil {
			m.Turns = nil
		}
		opts := &Options{}
		if NewFingerprints(opts).Of(a) != NewFingerprints(opts).Of(b) {
			t.Errorf("%s counts", name)
		}
	}
}

func BenchmarkFingerprint(b *testing.B) {
	plan := planOf(b, 10_000, says("Hello"), scenario.Turn{Role: "user", Content: "Hello"})
	b.ReportAllocs()
	for b.Loop() {
		prints := NewFingerprints(&Options{})
		for t := range plan.All() {
			prints.Of(t)
		}
	}
}

// TestFingerprintsOutliveRenames: journals hold fingerprints, so that a type or field that is renamed must not change
// them. Trials that were paid for would run again.
func TestFingerprintsOutliveRenames(t *testing.T) {
	t.Parallel()
	trial := planOf(t, 2, says("hi"), scenario.Turn{Content: "hello"}).Trial(1)
	const want = "2177b646d5ea2ed58979f0639189a42f"
	if got := NewFingerprints(&Options{}).Of(&trial); got != want {
		t.Errorf("the fingerprint is %s, and was %s", got, want)
	}
}

// TestFlagsDecideWhereTheyChangeSomething: a flag that a trial has no use for, or that says what the files say, does
// not have it run again.
func TestFlagsDecideWhereTheyChangeSomething(t *testing.T) {
	t.Parallel()
	gate := true
	of := func(judged bool, opts Options, judge, onFailure string) string {
		trial, _ := filledTrial()
		trial.Scenario.OnFailure, trial.Project.Defaults.OnFailure = onFailure, ""
		trial.Project.basis.judge = judge
		if judged {
			trial.Scenario.Conversation = []scenario.Placed{placed(t, "llm_judge", `{"criteria": "kind"}`)}
		}
		return NewFingerprints(&opts).Of(trial)
	}
	for _, c := range []struct {
		name      string
		opts      Options
		judge     string
		onFailure string // of the scenario
		alone     bool   // it decides of a trial without a judge
		judged    bool   // of one with a judge
	}{
		{"judge", Options{}, "strict", "", false, true},
		{"judge-gate", Options{JudgeGate: &gate}, "", "", false, true},
		{"on-failure as it is anyway", Options{OnFailure: "continue"}, "", "", false, false},
		{"on-failure as the files say", Options{OnFailure: "stop"}, "", "stop", false, false},
		{"on-failure", Options{OnFailure: "stop"}, "", "", true, true},
		{"on-failure against the files", Options{OnFailure: "continue"}, "", "stop", true, true},
	} {
		for judged, want := range map[bool]bool{false: c.alone, true: c.judged} {
			if got := of(judged, c.opts, c.judge, c.onFailure) != of(judged, Options{}, "", c.onFailure); got != want {
				t.Errorf("%s, judged %v: decides %v, want %v", c.name, judged, got, want)
			}
		}
	}
}
