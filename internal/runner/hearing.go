package runner

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// hearing waits for names that no file lists, and of which only the conversations tell whether anything bears them. It
// is safe for concurrent use.
type hearing struct {
	mu     sync.Mutex
	names  []expected
	known  map[spot]bool   // of names
	called map[string]bool // tools
	skills map[string]bool
	fired  map[string]bool // guardrails
	some   bool            // a conversation was heard

	guards []expectedGuard

	samples []*evals.Eval   // with thresholds, of which the run may take none
	taken   map[string]bool // their ids
}

type expectedGuard struct {
	check string
	*checks.GuardrailUse
}

type spot struct {
	pos  diag.Pos
	name string
}

func newHearing() *hearing {
	return &hearing{known: map[spot]bool{}, called: map[string]bool{}, skills: map[string]bool{}, taken: map[string]bool{},
		fired: map[string]bool{}}
}

type expected struct {
	check string
	*checks.NameUse
}

func (h *hearing) expect(check string, use *checks.NameUse) {
	if at := (spot{use.Pos, use.Name}); !h.known[at] {
		h.known[at] = true
		h.names = append(h.names, expected{check, use})
	}
}

func (h *hearing) expectGuardrail(check string, use *checks.GuardrailUse) {
	if at := (spot{use.Pos, use.Name}); !h.known[at] {
		h.known[at] = true
		h.guards = append(h.guards, expectedGuard{check, use})
	}
}

// hear takes in what a conversation named.
func (h *hearing) hear(t *result.Trial) {
	if h == nil || len(h.names)+len(h.samples)+len(h.guards) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range t.Evals {
		h.taken[t.Evals[i].ID] = true
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		h.some = h.some || turn.NotRun == ""
		for j := range turn.Messages {
			for _, v := range turn.Messages[j].Validations {
				h.fired[v.Type] = true
			}
		}
		for j := range turn.Guardrails {
			h.fired[turn.Guardrails[j].Verdict.Type] = true
		}
		for j := range turn.ToolCalls {
			call := &turn.ToolCalls[j]
			h.called[call.Name] = true
			if skill, ok := call.Args["name"].(string); ok && call.Name == checks.SkillTool {
				h.skills[skill] = true
			}
		}
	}
}

// Hear takes in a conversation that stays from an earlier part of the run, as those that are run now are.
func (p *Plan) Hear(t *result.Trial) { p.heard.hear(t) }

// Unheard says which names in checks never came up in the conversations of the run, and are in no file of the
// project either, and which thresholds nothing was held against because the sample of their eval took nothing.
func (p *Plan) Unheard() []diag.Diagnostic {
	h := p.heard
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.some {
		return nil
	}
	var list []diag.Diagnostic
	for _, e := range h.names {
		if names := h.of(e.Kind); !names[e.Name] && (e.Pattern == nil || !matched(e, names)) {
			list = append(list, h.warning(e, names))
		}
	}
	for _, e := range h.guards {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(h.fired)), e.Means) {
			list = append(list, diag.Diagnostic{
				Severity: diag.Warning, Pos: e.Pos, Width: utf8.RuneCountInString(e.Name), Code: "never-named",
				Msg: fmt.Sprintf("%s: no guardrail %q fired in any conversation, nor does the project list it", e.check, e.Name),
			})
		}
	}
	for _, e := range h.samples {
		if !h.taken[e.ID] {
			list = append(list, untaken(e))
		}
	}
	return list
}

// expectSamples waits for the evals with a threshold that look at samples only.
func (h *hearing) expectSamples(set evals.Set) {
	for _, e := range set {
		if e.Gates() && (e.Trigger == scenario.TriggerSampleTurns || e.Trigger == scenario.TriggerSampleSessions) {
			h.samples = append(h.samples, e)
		}
	}
}

func untaken(e *evals.Eval) diag.Diagnostic {
	return diag.Diagnostic{
		Severity: diag.Warning, Pos: e.Pos, Width: utf8.RuneCountInString(e.Type), Code: "never-fired",
		Msg: fmt.Sprintf("eval %q has a threshold, and its sample (%g%%) took none of this run: nothing was held against it",
			e.ID, e.SamplePct),
	}
}

func (h *hearing) of(kind checks.Kind) map[string]bool {
	if kind == checks.SkillName {
		return h.skills
	}
	return h.called
}

func matched(e expected, names map[string]bool) bool {
	for name := range names {
		if e.Pattern.MatchString(name) {
			return true
		}
	}
	return false
}

func (h *hearing) warning(e expected, names map[string]bool) diag.Diagnostic {
	what := fmt.Sprintf("no %s %q came up in any conversation, nor does the project list it", e.Kind, e.Name)
	if e.Pattern != nil {
		what = fmt.Sprintf("no tool that came up in any conversation matches %q", e.Name)
	}
	if near := diag.DidYouMean(e.Name, slices.Sorted(maps.Keys(names))); near != "" {
		what += "; " + near
	}
	return diag.Diagnostic{
		Severity: diag.Warning, Pos: e.Pos, Width: utf8.RuneCountInString(e.Name), Code: "never-named",
		Msg: fmt.Sprintf("%s: %s: %s", e.check, e.Param, what),
	}
}
