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

// nameTracker compares names in checks with names in conversations: tools, skills and guardrails that no file declares.
// A name that no conversation had is probably misspelled. It is safe for concurrent use.
type nameTracker struct {
	mu              sync.Mutex
	awaited         []awaitedName
	isAwaited       map[namePosition]bool // names in awaited
	isServed        bool                  // servers are to tell some names to be right
	calledTools     map[string]bool
	loadedSkills    map[string]bool
	firedGuardrails map[string]bool
	hasTurns        bool // a turn was observed

	awaitedGuardrails []awaitedGuardrail

	sampledGates  []*evals.Eval   // evals with a threshold that measure a sample
	measuredEvals map[string]bool // by id

	stateRules    []awaitedStates
	statesEntered map[string]bool

	rules     []awaitedRule // of turns, about calls
	rulesUsed map[turnRule]bool
	turnsRun  map[turnPlace]bool
}

type awaitedGuardrail struct {
	check string
	*checks.GuardrailUse
}

type namePosition struct {
	pos  diag.Pos
	name string
}

func newNameTracker() *nameTracker {
	return &nameTracker{
		isAwaited: map[namePosition]bool{}, calledTools: map[string]bool{}, loadedSkills: map[string]bool{},
		measuredEvals: map[string]bool{}, firedGuardrails: map[string]bool{}, statesEntered: map[string]bool{},
		rulesUsed: map[turnRule]bool{}, turnsRun: map[turnPlace]bool{},
	}
}

type awaitedName struct {
	check string
	*checks.NameUse
}

func (h *nameTracker) await(check string, use *checks.NameUse) {
	if at := (namePosition{use.Pos, use.Name}); !h.isAwaited[at] {
		h.isAwaited[at] = true
		h.awaited = append(h.awaited, awaitedName{check, use})
	}
}

func (h *nameTracker) awaitGuardrail(check string, use *checks.GuardrailUse) {
	if at := (namePosition{use.Pos, use.Name}); !h.isAwaited[at] {
		h.isAwaited[at] = true
		h.awaitedGuardrails = append(h.awaitedGuardrails, awaitedGuardrail{check, use})
	}
}

// observe collects the names in a conversation.
func (h *nameTracker) observe(t *result.Trial) {
	if h == nil || len(h.awaited)+len(h.sampledGates)+len(h.awaitedGuardrails)+len(h.rules) == 0 && !h.isServed {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range t.Evals {
		h.measuredEvals[t.Evals[i].ID] = true
	}
	h.observeStates(t.Workflow)
	for i := range t.Turns {
		turn := &t.Turns[i]
		h.hasTurns = h.hasTurns || turn.NotRun == ""
		h.observeRules(t, turn)
		for j := range turn.Messages {
			for _, v := range turn.Messages[j].Validations {
				h.firedGuardrails[v.Type] = true
			}
		}
		for j := range turn.Guardrails {
			h.firedGuardrails[turn.Guardrails[j].Verdict.Type] = true
		}
		for j := range turn.ToolCalls {
			call := &turn.ToolCalls[j]
			h.calledTools[call.Name] = true
			if skill, ok := call.Args["name"].(string); ok && call.Name == checks.SkillTool {
				h.loadedSkills[skill] = true
			}
		}
	}
}

// Observe collects the names in a trial that is kept from an earlier part of the run. Trials that run now are observed
// by themselves.
func (p *Plan) Observe(t *result.Trial) { p.names.observe(t) }

// NeverNamed returns warnings about names in checks that no conversation had and no file declares, and about thresholds
// of evals whose sample was empty. It returns nothing when no turn ran.
func (p *Plan) NeverNamed() []diag.Diagnostic {
	h := p.names
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.hasTurns {
		return nil
	}
	var list []diag.Diagnostic
	for _, e := range h.awaited {
		if names := h.namesOf(e.Kind); !names[e.Name] && (e.Pattern == nil || !matchesAny(e, names)) {
			list = append(list, h.neverNamed(e, names))
		}
	}
	for _, e := range h.awaitedGuardrails {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(h.firedGuardrails)), e.Means) {
			list = append(list, diag.Diagnostic{
				Severity: diag.Warning, Pos: e.Pos, Width: utf8.RuneCountInString(e.Name), Code: "never-named",
				Msg: fmt.Sprintf("%s: no guardrail %q fired in any conversation, nor does the project list it", e.check, e.Name),
			})
		}
	}
	list = append(list, p.neverCompared(h.calledTools)...)
	list = append(list, h.idleRules()...)
	list = append(list, h.idleStateRules()...)
	for _, e := range h.sampledGates {
		if !h.measuredEvals[e.ID] {
			list = append(list, neverSampled(e))
		}
	}
	return list
}

// awaitSamples adds the evals with a threshold that measure a sample, or the steps of a workflow: there may be none.
func (h *nameTracker) awaitSamples(set evals.Set) {
	triggers := []string{scenario.TriggerSampleTurns, scenario.TriggerSampleSessions, scenario.TriggerWorkflowStep}
	for _, e := range set {
		if e.Gates() && slices.Contains(triggers, e.Trigger) {
			h.sampledGates = append(h.sampledGates, e)
		}
	}
}

func neverSampled(e *evals.Eval) diag.Diagnostic {
	why := fmt.Sprintf("its sample (%g%%) is empty in this run", e.SamplePct)
	if e.Trigger == scenario.TriggerWorkflowStep {
		why = "no workflow moved on in this run"
	}
	return diag.Diagnostic{
		Severity: diag.Warning, Pos: e.Pos, Width: utf8.RuneCountInString(e.Type), Code: "never-fired",
		Msg: fmt.Sprintf("eval %q has a threshold, and %s: the threshold was not tested", e.ID, why),
	}
}

func (h *nameTracker) namesOf(kind checks.Kind) map[string]bool {
	switch kind {
	case checks.SkillName:
		return h.loadedSkills
	case checks.StateName:
		return h.statesEntered
	default: // tools and agents
		return h.calledTools
	}
}

func matchesAny(e awaitedName, names map[string]bool) bool {
	for name := range names {
		if e.Pattern.MatchString(name) {
			return true
		}
	}
	return false
}

func (h *nameTracker) neverNamed(e awaitedName, names map[string]bool) diag.Diagnostic {
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
