package claims

import (
	"sync"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// Tracker compares files with the trials: names of tools, skills and guardrails that no file declares, which are
// probably misspelled if no conversation has them, and rules that may never apply. All expectations are set before the
// first trial is observed. Observe and the methods that make claims are safe for concurrent use; on a nil tracker
// Observe does nothing.
type Tracker struct {
	mu              sync.Mutex
	expected        []expectedName
	isExpected      map[Name]bool // names in expected
	listsExpected   bool          // servers or agents are to list tools
	calledTools     map[string]bool
	loadedSkills    map[string]bool
	firedGuardrails map[string]bool
	hasTurns        bool // a turn was observed

	expectedGuardrails []*checks.GuardrailUse

	gates         []expectedGate // evals with a threshold, which must have judged something
	measuredEvals map[measuredEval]bool
	skippedEvals  map[measuredEval]string // in trials that passed: why
	scenarios     map[string]*skippedAll  // by id
	conditional   []diag.Pos              // checks with a condition, in the order of the plan
	conditions    map[diag.Pos]*checkUse
	hasMoved      bool // a workflow made a transition
	hasErrors     bool // a trial ended early: its evals may have had nothing to judge

	moves         []*expectedMove // of workflows
	stateRules    []expectedStates
	statesEntered map[string]bool

	windows     []expectedWindow
	windowsUsed map[place]bool
	windowsRun  map[place]bool // in trials that finished

	rules     []expectedRule // of turns, about calls
	rulesUsed map[usedRule]bool
	turnsRun  map[runTurn]bool

	echoes map[string]*echoes // of agents, by id
	agents []string           // the same ids, in the order of the plan
}

// New returns a tracker that expects nothing yet.
func New() *Tracker {
	return &Tracker{
		isExpected: map[Name]bool{}, calledTools: map[string]bool{}, loadedSkills: map[string]bool{},
		measuredEvals: map[measuredEval]bool{}, skippedEvals: map[measuredEval]string{}, scenarios: map[string]*skippedAll{},
		conditions:      map[diag.Pos]*checkUse{},
		firedGuardrails: map[string]bool{}, statesEntered: map[string]bool{},
		rulesUsed: map[usedRule]bool{}, turnsRun: map[runTurn]bool{},
		echoes:      map[string]*echoes{},
		windowsUsed: map[place]bool{}, windowsRun: map[place]bool{},
	}
}

// Observe notes what occurred in a trial.
func (t *Tracker) Observe(trial *result.Trial) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.observeSkipped(trial)
	t.observeConditions(trial)
	t.observeMove(trial)
	t.observeEchoes(trial)
	if len(t.expected)+len(t.gates)+len(t.expectedGuardrails)+len(t.rules)+len(t.windows)+len(t.stateRules) == 0 &&
		!t.listsExpected {
		return
	}
	t.hasMoved = t.hasMoved || trial.Workflow != nil && len(trial.Workflow.Transitions) > 0
	t.hasErrors = t.hasErrors || trial.Status == result.Errored || trial.Status == result.Cancelled
	for i := range trial.Evals {
		e := &trial.Evals[i]
		if e.Skipped && trial.Status == result.Passed {
			t.skippedEvals[measuredEval{id: e.ID}] = e.SkipReason
			t.skippedEvals[measuredEval{e.ID, e.Position}] = e.SkipReason
			continue
		}
		t.measuredEvals[measuredEval{id: e.ID}] = true
		t.measuredEvals[measuredEval{e.ID, e.Position}] = true
	}
	t.observeStates(trial.Workflow)
	for i := range trial.Turns {
		turn := &trial.Turns[i]
		t.hasTurns = t.hasTurns || turn.NotRun == ""
		t.observeRules(trial, turn)
		t.observeWindow(trial, turn)
		for j := range turn.Messages {
			for _, v := range turn.Messages[j].Validations {
				t.firedGuardrails[v.Type] = true
			}
		}
		for j := range turn.Guardrails {
			t.firedGuardrails[turn.Guardrails[j].Verdict.Type] = true
		}
		for j := range turn.ToolCalls {
			call := &turn.ToolCalls[j]
			t.calledTools[call.Name] = true
			if skill, ok := call.Args["name"].(string); ok && call.Name == checks.SkillTool {
				t.loadedSkills[skill] = true
			}
		}
	}
}

// ExpectLists says that servers or agents will list tools: see Called.
func (t *Tracker) ExpectLists() { t.listsExpected = true }

// HasTurns reports whether a turn was observed.
func (t *Tracker) HasTurns() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hasTurns
}

// Called reports whether a conversation called a tool with a name that fits.
func (t *Tracker) Called(fits func(name string) bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range t.calledTools {
		if fits(name) {
			return true
		}
	}
	return false
}

// ClaimUses claims that rules of turns applied, that context policies left something out, that states with rules were
// entered, that evals with thresholds judged something, that workflows moved on, and that agents spoke.
func (t *Tracker) ClaimUses(list *List) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claimRules(list.Kind())
	t.claimWindows(list.Kind())
	t.claimStateRules(list.Kind())
	t.claimGates(list.Kind())
	t.claimMoves(list.Kind())
	t.claimEchoes(list.Kind())
}
