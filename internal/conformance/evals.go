package conformance

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/scenario"
)

// evalTopics are the kinds of vectors about evals.
func evalTopics() []Topic {
	return []Topic{
		NewTopic("sampling", judgeSampling),
		NewTopic("triggers", judgeTrigger),
		NewTopic("groups", judgeGroups),
		NewTopic("group_filter", judgeFilter),
		NewTopic("eval_merge", judgeMerge),
		NewTopic("eval_validation", judgeValidation),
	}
}

type samplingVector struct {
	Head
	Session string `json:"session_id"`
	Turn    int    `json:"turn_index"`
	Expect  struct {
		TurnBucket    *int            `json:"turn_bucket"`
		SessionBucket *int            `json:"session_bucket"`
		Turns         map[string]bool `json:"sample_turns"` // by percentage
		Sessions      map[string]bool `json:"sample_sessions"`
	} `json:"expect"`
}

func judgeSampling(_ context.Context, v *samplingVector, r *Report) error {
	That(r, "turn_bucket", v.Expect.TurnBucket, evals.Bucket(v.Session, v.Turn))
	That(r, "session_bucket", v.Expect.SessionBucket, evals.Bucket(v.Session, 0))
	for trigger, wanted := range map[string]map[string]bool{
		scenario.TriggerSampleTurns: v.Expect.Turns, scenario.TriggerSampleSessions: v.Expect.Sessions,
	} {
		for text, want := range wanted {
			percentage, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return err
			}
			e := &evals.Definition{Trigger: trigger, Enabled: true, SamplePct: percentage}
			That(r, trigger+" "+text+"%", &want, evals.Due(e, evals.PhaseOf(trigger), v.Session, v.Turn))
		}
	}
	return nil
}

type triggerVector struct {
	Head
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

func judgeTrigger(_ context.Context, v *triggerVector, r *Report) error {
	e := &evals.Definition{Trigger: v.Trigger, Enabled: v.Enabled == nil || *v.Enabled}
	if v.Sample != nil {
		e.SamplePct = *v.Sample
	}
	for _, phase := range []struct {
		name string
		want *bool
		at   evals.Phase
	}{
		{"runs_after_turn", v.Expect.Turn, evals.AfterTurn}, {"runs_after_workflow_step", v.Expect.Step, evals.AfterStep},
		{"runs_at_session_end", v.Expect.Session, evals.SessionEnd},
		{"runs_at_conversation_end", v.Expect.Conversation, evals.ConversationEnd},
	} {
		That(r, phase.name, phase.want, evals.Due(e, phase.at, v.Name, 0))
	}
	return nil
}

// evalVector is the properties of an eval that decide its groups.
type evalVector struct {
	ID     string   `json:"id"`
	Type   string   `json:"type"`
	Groups []string `json:"groups"`
}

// groups of the eval. An unknown type is that of a program.
func (v *evalVector) groups() []string {
	needs := checks.NeedsProcess
	if def, known := checks.Lookup(v.Type); known {
		needs = def.Needs
	}
	return evals.Groups(&evals.Definition{Groups: v.Groups}, needs)
}

type groupsVector struct {
	Head
	evalVector
	Expect struct {
		Groups []string `json:"groups"`
	} `json:"expect"`
}

func judgeGroups(_ context.Context, v *groupsVector, r *Report) error {
	return same(r, "groups", v.Expect.Groups, v.groups())
}

type filterVector struct {
	Head
	Evals  []evalVector `json:"evals"`
	Filter []string     `json:"filter"`
	Expect struct {
		IDs []string `json:"ids"`
	} `json:"expect"`
}

func judgeFilter(_ context.Context, v *filterVector, r *Report) error {
	kept := []string{}
	for i := range v.Evals {
		e := &v.Evals[i]
		if evals.InGroups(v.Filter, e.groups()) {
			kept = append(kept, e.ID)
		}
	}
	return same(r, "ids", v.Expect.IDs, kept)
}

// mergeVector keeps definitions as they are written: the whole of one replaces the whole of another.
type mergeVector struct {
	Head
	Pack   []jsonvalue.Object `json:"pack"`
	Prompt []jsonvalue.Object `json:"prompt"`
	Expect struct {
		Merged []jsonvalue.Object `json:"merged"`
	} `json:"expect"`
}

func judgeMerge(_ context.Context, v *mergeVector, r *Report) error {
	written := map[*evals.Definition]jsonvalue.Object{}
	read := func(list []jsonvalue.Object) []*evals.Definition {
		defs := make([]*evals.Definition, len(list))
		for i, fields := range list {
			id, _ := fields["id"].(string)
			defs[i] = &evals.Definition{ID: id}
			written[defs[i]] = fields
		}
		return defs
	}
	merged := []jsonvalue.Object{}
	for _, def := range scenario.MergeEvals(read(v.Pack), read(v.Prompt)) {
		merged = append(merged, written[def])
	}
	return same(r, "merged", v.Expect.Merged, merged)
}

type validationVector struct {
	Head
	Evals  json.RawMessage `json:"evals"`
	Expect struct {
		Valid  *bool    `json:"valid"`
		Fields []string `json:"problem_fields"`
	} `json:"expect"`
}

func judgeValidation(_ context.Context, v *validationVector, r *Report) error {
	fields := scenario.EvalProblems(v.Evals)
	That(r, "valid", v.Expect.Valid, len(fields) == 0)
	slices.Sort(v.Expect.Fields)
	return same(r, "problem_fields", v.Expect.Fields, fields)
}

// same reports a list under its name. A nil want is not asked for.
func same[T any](r *Report, name string, want, got []T) error {
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
	That(r, name, &text, string(g))
	return nil
}
