package evals

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/checks/verify"
	"github.com/arena-evals/arena/internal/scenario"
)

// Topics are the kinds of vectors about evals.
func Topics() []verify.Topic {
	return []verify.Topic{
		verify.NewTopic("sampling", judgeSampling),
		verify.NewTopic("triggers", judgeTrigger),
		verify.NewTopic("groups", judgeGroups),
		verify.NewTopic("group_filter", judgeFilter),
		verify.NewTopic("eval_merge", judgeMerge),
		verify.NewTopic("eval_validation", judgeValidation),
	}
}

type samplingVector struct {
	verify.Head
	Session string `json:"session_id"`
	Turn    int    `json:"turn_index"`
	Expect  struct {
		TurnBucket    *int            `json:"turn_bucket"`
		SessionBucket *int            `json:"session_bucket"`
		Turns         map[string]bool `json:"sample_turns"` // by percentage
		Sessions      map[string]bool `json:"sample_sessions"`
	} `json:"expect"`
}

func judgeSampling(_ context.Context, v *samplingVector, r *verify.Report) error {
	verify.That(r, "turn_bucket", v.Expect.TurnBucket, bucket(v.Session, v.Turn))
	verify.That(r, "session_bucket", v.Expect.SessionBucket, bucket(v.Session, 0))
	for trigger, wanted := range map[string]map[string]bool{
		scenario.TriggerSampleTurns: v.Expect.Turns, scenario.TriggerSampleSessions: v.Expect.Sessions,
	} {
		for text, want := range wanted {
			percentage, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return err
			}
			e := &Definition{Trigger: trigger, Enabled: true, SamplePct: percentage}
			verify.That(r, trigger+" "+text+"%", &want, Due(e, PhaseOf(trigger), v.Session, v.Turn))
		}
	}
	return nil
}

type triggerVector struct {
	verify.Head
	Trigger string   `json:"trigger"`
	Sample  *float64 `json:"sample_percentage"`
	Enabled *bool    `json:"enabled"`
	Expect  struct {
		Turn         *bool `json:"runs_after_turn"`
		Step         *bool `json:"runs_after_workflow_step"`
		Session      *bool `json:"runs_at_session_end"`
		Conversation *bool `json:"runs_at_conversation_end"`
	} `json:"expect"`
}

func judgeTrigger(_ context.Context, v *triggerVector, r *verify.Report) error {
	e := &Definition{Trigger: v.Trigger, Enabled: v.Enabled == nil || *v.Enabled}
	if v.Sample != nil {
		e.SamplePct = *v.Sample
	}
	for _, phase := range []struct {
		name string
		want *bool
		at   Phase
	}{
		{"runs_after_turn", v.Expect.Turn, AfterTurn}, {"runs_after_workflow_step", v.Expect.Step, AfterStep},
		{"runs_at_session_end", v.Expect.Session, SessionEnd},
		{"runs_at_conversation_end", v.Expect.Conversation, ConversationEnd},
	} {
		verify.That(r, phase.name, phase.want, Due(e, phase.at, v.Name, 0))
	}
	return nil
}

// evalVector is an eval by what groups depend on.
type evalVector struct {
	ID     string   `json:"id"`
	Type   string   `json:"type"`
	Groups []string `json:"groups"`
}

// groups of the eval. A type that nobody knows is that of a program.
func (v *evalVector) groups() []string {
	needs := checks.NeedsProcess
	if def, known := checks.Lookup(v.Type); known {
		needs = def.Needs
	}
	return Groups(&Definition{Groups: v.Groups}, needs)
}

type groupsVector struct {
	verify.Head
	evalVector
	Expect struct {
		Groups []string `json:"groups"`
	} `json:"expect"`
}

func judgeGroups(_ context.Context, v *groupsVector, r *verify.Report) error {
	return same(r, "groups", v.Expect.Groups, v.groups())
}

type filterVector struct {
	verify.Head
	Evals  []evalVector `json:"evals"`
	Filter []string     `json:"filter"`
	Expect struct {
		IDs []string `json:"ids"`
	} `json:"expect"`
}

func judgeFilter(_ context.Context, v *filterVector, r *verify.Report) error {
	a := &application{used: map[string]bool{}}
	kept := []string{}
	for i := range v.Evals {
		e := &v.Evals[i]
		if a.match(group, v.Filter, func(name string) bool { return slices.Contains(e.groups(), name) }) {
			kept = append(kept, e.ID)
		}
	}
	return same(r, "ids", v.Expect.IDs, kept)
}

// mergeVector keeps definitions as they are written: the whole of one replaces the whole of another.
type mergeVector struct {
	verify.Head
	Pack   []map[string]any `json:"pack"`
	Prompt []map[string]any `json:"prompt"`
	Expect struct {
		Merged []map[string]any `json:"merged"`
	} `json:"expect"`
}

func judgeMerge(_ context.Context, v *mergeVector, r *verify.Report) error {
	written := map[*Definition]map[string]any{}
	read := func(list []map[string]any) []*Definition {
		defs := make([]*Definition, len(list))
		for i, fields := range list {
			id, _ := fields["id"].(string)
			defs[i] = &Definition{ID: id}
			written[defs[i]] = fields
		}
		return defs
	}
	merged := []map[string]any{}
	for _, def := range scenario.MergeEvals(read(v.Pack), read(v.Prompt)) {
		merged = append(merged, written[def])
	}
	return same(r, "merged", v.Expect.Merged, merged)
}

type validationVector struct {
	verify.Head
	Evals  json.RawMessage `json:"evals"`
	Expect struct {
		Valid  *bool    `json:"valid"`
		Fields []string `json:"problem_fields"`
	} `json:"expect"`
}

func judgeValidation(_ context.Context, v *validationVector, r *verify.Report) error {
	fields := scenario.EvalProblems(v.Evals)
	verify.That(r, "valid", v.Expect.Valid, len(fields) == 0)
	slices.Sort(v.Expect.Fields)
	return same(r, "problem_fields", v.Expect.Fields, fields)
}

// same reports a list under its name. A nil want is not asked for.
func same[T any](r *verify.Report, name string, want, got []T) error {
	if want == nil {
		return nil
	}
	w, err := json.Marshal(want)
	if err != nil {
		return err
	}
	g, err := json.Marshal(got)
	if err != nil {
		return err
	}
	text := string(w)
	verify.That(r, name, &text, string(g))
	return nil
}
