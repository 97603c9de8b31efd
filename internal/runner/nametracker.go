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

	awaitedGuardrails []*checks.GuardrailUse

	gates         []awaitedGate // evals with a threshold, which must have judged something
	measuredEvals map[measuredEval]bool
	skippedEvals  map[string]string      // by id, in trials that passed: why
	scenarios     map[string]*skippedAll // by id
	hasMoved      bool                   // a workflow made a transition
	hasErrors     bool                   // a trial ended early: its evals may have had nothing to judge

	stateRules    []awaitedStates
	statesEntered map[string]bool

	windows     []awaitedWindow
	windowsUsed map[diag.Pos]bool // by the scenario
	windowsRun  map[diag.Pos]bool // the same: in trials that came to their end

	rules     []awaitedRule // of turns, about calls
	rulesUsed map[turnRule]bool
	turnsRun  map[turnPlace]bool
}

// awaitedGate is an eval with a threshold. Its prompt is nil when it is of the whole project.
type awaitedGate struct {
	*evals.Eval
	prompt *scenario.Prompt
	twice  bool // another one has its id
}

// measuredEval is an eval that has a result. It is noted with its position and without.
type measuredEval struct {
	id  string
	pos diag.Pos
}

type namePosition struct {
	pos  diag.Pos
	name string
}

func newNameTracker() *nameTracker {
	return &nameTracker{
		isAwaited: map[namePosition]bool{}, calledTools: map[string]bool{}, loadedSkills: map[string]bool{},
		measuredEvals: map[measuredEval]bool{}, skippedEvals: map[string]string{}, scenarios: map[string]*skippedAll{},
		firedGuardrails: map[string]bool{}, statesEntered: map[string]bool{},
		rulesUsed: map[turnRule]bool{}, turnsRun: map[turnPlace]bool{},
		windowsUsed: map[diag.Pos]bool{}, windowsRun: map[diag.Pos]bool{},
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

func (h *nameTracker) awaitGuardrail(use *checks.GuardrailUse) {
	if at := (namePosition{use.Pos, use.Name}); !h.isAwaited[at] {
		h.isAwaited[at] = true
		h.awaitedGuardrails = append(h.awaitedGuardrails, use)
	}
}

// observe collects the names in a conversation.
func (h *nameTracker) observe(t *result.Trial) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.observeSkipped(t)
	if len(h.awaited)+len(h.gates)+len(h.awaitedGuardrails)+len(h.rules)+len(h.windows) == 0 && !h.isServed {
		return
	}
	h.hasMoved = h.hasMoved || t.Workflow != nil && len(t.Workflow.Transitions) > 0
	h.hasErrors = h.hasErrors || t.Status == result.Errored || t.Status == result.Cancelled
	for i := range t.Evals {
		e := &t.Evals[i]
		if e.Skipped && t.Status == result.Passed {
			h.skippedEvals[e.ID] = e.SkipReason
			continue
		}
		h.measuredEvals[measuredEval{id: e.ID}] = true
		h.measuredEvals[measuredEval{e.ID, e.Position}] = true
	}
	h.observeStates(t.Workflow)
	for i := range t.Turns {
		turn := &t.Turns[i]
		h.hasTurns = h.hasTurns || turn.NotRun == ""
		h.observeRules(t, turn)
		h.observeWindow(t, turn)
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

// Recall has judges stand by what they said in a trial that is kept, and costs nothing again. anew: they are asked all
// the same. It must be called before Run.
func (p *Plan) Recall(t *result.Trial, anew bool) {
	p.judged.Skip(t)
	p.learnCost(t)
	if p.memory != nil {
		t.Judged(func(j *result.Judgement) { p.memory.Recall(j, anew || t.Index >= p.Len()) })
	}
}

// RecallJudges has judges stand by what they said in a trial that is not kept. It must be called before Run.
func (p *Plan) RecallJudges(t *result.Trial) {
	p.judged.Skip(t)
	if p.memory != nil {
		t.Judged(func(j *result.Judgement) { p.memory.Recall(j, false) })
	}
}

// NeverNamed returns warnings about names in checks that no conversation had and no file declares, about thresholds of
// evals that judged nothing, and about fields to redact that no reply had. It returns nothing when no turn ran.
func (p *Plan) NeverNamed() (list []diag.Diagnostic) {
	for _, c := range result.UnmetClaims(p.Claims()) {
		list = append(list, c.Warning)
	}
	return list
}

// Claims returns what has to come up at least once in a run of the plan, and whether it did so far: the names in checks
// that no file declares, what evals with thresholds judge, and so on. A plan that is a shard has those of the whole.
func (p *Plan) Claims() []result.Claim {
	c := &claims{}
	p.claimRedacted(c.kind())
	h := p.names
	if h == nil {
		return c.list()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.claimJudged(c.kind())
	compared, named := p.compared(), c.kind()
	for _, e := range h.awaited {
		names := h.namesOf(e.Kind)
		met := compared[namePosition{e.Pos, e.Name}] || names[e.Name] || e.Pattern != nil && matchesAny(e, names)
		warning, evidence := h.neverNamed(e, names)
		named("name", e.Pos, e.Name).settle(met, h.hasTurns, warning).Evidence = evidence
	}
	fired := slices.Collect(maps.Keys(h.firedGuardrails))
	for _, e := range h.awaitedGuardrails {
		named("guardrail", e.Pos, e.Name).settle(slices.ContainsFunc(fired, e.Means), h.hasTurns, diag.Diagnostic{
			Severity: diag.Warning, Pos: e.Pos, Width: e.Width, Code: "never-named",
			Msg: fmt.Sprintf("%s: no guardrail %q fired in any conversation, nor does the project list it", e.Type, e.Name),
		})
	}
	p.claimCompared(h, c.kind())
	h.claimRules(c.kind())
	h.claimWindows(c.kind())
	h.claimStateRules(c.kind())
	h.claimGates(c.kind())
	return c.list()
}

// awaitGates adds the evals of a project with a threshold: none of them may have anything to judge.
func (h *nameTracker) awaitGates(p *scenario.Project, set evals.Set) {
	for _, e := range set {
		if !e.Gates() {
			continue
		}
		g := awaitedGate{Eval: e}
		for _, prompt := range p.Prompts {
			if slices.Contains(prompt.Evals, e.Definition) {
				g.prompt = prompt
			}
		}
		for i := range h.gates {
			if h.gates[i].ID == e.ID {
				g.twice, h.gates[i].twice = true, true
			}
		}
		h.gates = append(h.gates, g)
	}
}

// claimGates claims that every threshold is tested.
func (h *nameTracker) claimGates(claim claimer) {
	for _, g := range h.gates {
		key := measuredEval{id: g.ID}
		if g.twice {
			key.pos = g.Pos
		}
		sampled := g.SamplePct < 100 &&
			(g.Trigger == scenario.TriggerSampleTurns || g.Trigger == scenario.TriggerSampleSessions)
		why, evidence := g.unsaid(h.hasMoved), 0
		if h.hasMoved {
			evidence = 1
		}
		if reason, skipped := h.skippedEvals[g.ID]; skipped && !g.twice {
			why, evidence = "it was skipped in every trial ("+reason+")", evidence+1
		}
		if sampled {
			why = fmt.Sprintf("its sample (%g%%) drew nothing in this run", g.SamplePct)
		}
		met := h.measuredEvals[key] || h.hasErrors && !sampled
		claim("eval", g.Pos, g.ID).settle(met, h.hasTurns, diag.Diagnostic{
			Severity: diag.Warning, Pos: g.Pos, Width: utf8.RuneCountInString(g.Type), Code: "never-fired",
			Msg: fmt.Sprintf("eval %q has a threshold, and %s: the threshold was not tested", g.ID, why),
		}).Evidence = evidence
	}
}

// unsaid says why an eval judged nothing in conversations without errors.
func (g *awaitedGate) unsaid(moved bool) string {
	steps := g.Trigger == scenario.TriggerWorkflowStep
	switch {
	case steps && !moved:
		return "no workflow moved on in this run"
	case g.prompt == nil:
		return "it judged nothing in this run"
	case steps:
		return fmt.Sprintf("no workflow moved to a state of its prompt %q in this run", g.prompt.TaskType)
	}
	return fmt.Sprintf("no reply came from its prompt %q in this run", g.prompt.TaskType)
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

// neverNamed is the warning of a name that did not come up. The evidence is 1 where a name that did is near to it.
func (h *nameTracker) neverNamed(e awaitedName, names map[string]bool) (w diag.Diagnostic, evidence int) {
	what := fmt.Sprintf("no %s %q came up in any conversation, nor does the project list it", e.Kind, e.Name)
	if e.Pattern != nil {
		what = fmt.Sprintf("no tool that came up in any conversation matches %q", e.Name)
	}
	if near := diag.DidYouMean(e.Name, slices.Sorted(maps.Keys(names))); near != "" {
		what += "; " + near
		evidence = 1
	}
	return diag.Diagnostic{
		Severity: diag.Warning, Pos: e.Pos, Width: utf8.RuneCountInString(e.Name), Code: "never-named",
		Msg: fmt.Sprintf("%s: %s: %s", e.check, e.Param, what),
	}, evidence
}
