package runner

import (
	"reflect"
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestRejudgedTrialKeepsWhatItWas holds that nothing that was found out about a trial is lost when it is judged again.
func TestRejudgedTrialKeepsWhatItWas(t *testing.T) {
	t.Parallel()
	was := &result.Trial{}
	v := reflect.ValueOf(was).Elem()
	for _, field := range v.Fields() {
		something(field)
	}
	was.Status, was.Error, was.Skip = result.Passed, "", ""
	was.Variant, was.Workflow = nil, nil
	was.Turns = []result.Turn{{User: "hi", Assistant: "hello", Messages: []chat.Message{
		{Role: chat.User, Content: "hi"}, {Role: chat.Assistant, Content: "hello"},
	}}}
	assertions := []scenario.Placed{placed(t, "max_turns", `{"max": 9}`)}
	plan := planOf(t, 1, nil, scenario.Turn{Role: "user", Content: "hi", Assertions: assertions})
	plan.spans[0].Scenario.Window = &scenario.ContextPolicy{Budget: 9, Strategy: scenario.LeaveOldest}
	was.Policy = windowWords(plan.spans[0].Scenario)
	brief := briefOf(result.BriefShared{})
	brief.ID = "s000/p/default"
	plan.spans[0].Finished = &Finished{Brief: brief, Load: func() (*result.Trial, error) { return was, nil }}
	out := trialOf(t.Context(), plan, options(1))
	if !out.Flaky || out.Status != result.Passed {
		t.Fatalf("flaky %v, %s %s", out.Flaky, out.Status, out.Error)
	}
	fromPlan := []string{"Index", "ID", "Scenario", "Provider", "Region", "Trial", "Trials", "Tags", "Labels", "Position",
		"Describe", "Metadata", "Replacement", "Asked", "Repeatable"}
	anew := []string{"Before", "Judges", "Conversation", "Evals", "EvalsDispatched", "OverBudget", "MayCostUSD", "Unrecorded", "Judging", "Counted",
		"Rejected"} // it is kept where the error is
	is := reflect.ValueOf(out).Elem()
	for i := range is.NumField() {
		name := is.Type().Field(i).Name
		if is.Field(i).IsZero() && !v.Field(i).IsZero() && !slices.Contains(slices.Concat(fromPlan, anew), name) {
			t.Errorf("%s is lost", name)
		}
	}
}

// something puts a value that is not zero into a field.
func something(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), reflect.Zero(v.Type().Elem()))
	case reflect.Struct:
		for _, field := range v.Fields() {
			something(field)
		}
	default:
	}
}

func briefOf(shared result.BriefShared) *result.Brief {
	b := result.BriefOf(shared)
	return &b
}
