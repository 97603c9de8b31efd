package scenario

import (
	"regexp"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/workflow"
)

// Workflow is the states of a project's conversations.
type Workflow struct {
	Pos    diag.Pos
	Entry  string
	States []*workflow.State
	Budget workflow.Budget
	Graph  *workflow.Graph     `digest:"-"` // made from the states; nil: they are invalid, which is reported
	names  []string            // of the states, in the order of the file
	at     map[string]diag.Pos `digest:"-"`
}

// At is the position at which a state is declared.
func (w *Workflow) At(state string) diag.Pos { return w.at[state] }

// The variables that a workflow sets: the text of the last transition, and the artifacts with a prefix.
const (
	ContextVariable = "workflow_context"
	ArtifactPrefix  = "artifacts."
)

// variables are the prompt variables that the workflow sets.
func (w *Workflow) variables() []string {
	names := []string{ContextVariable}
	for _, s := range w.States { // also if they are invalid
		for i := range s.Artifacts {
			names = append(names, ArtifactPrefix+s.Artifacts[i].Name)
		}
	}
	return names
}

// workflowFile is a workflow as written in a file.
type workflowFile struct {
	version int
	entry   *node.Node
	states  []*stateFile
	names   []string
	budget  workflow.Budget
}

type stateFile struct {
	workflow.State
	at                 *node.Node   // key of the state
	targets            []*node.Node // of the events
	terminal           *node.Node
	onMax, composition *node.Node
	orchestration      string
	broken             bool // some keys were refused, so others may seem to be missing
}

// workflowFields are the keys of a workflow, in configs and packs.
var workflowFields = table("a workflow", func() rows[workflowFile] {
	return rows[workflowFile]{
		custom("version", counting, func(d *decoder, w *workflowFile, v *node.Node) {
			w.version, _ = d.Int(v, "version", 1, 2)
		}).must().doc("The version of the format: 1, or 2, which warns of states without a way out."),
		custom("entry", text, func(d *decoder, w *workflowFile, v *node.Node) {
			if _, ok := d.Name(v, "entry"); ok {
				w.entry = v
			}
		}).must().doc("The state in which conversations begin."),
		custom("states", mapOf(stateFields), readStates).must().doc("The states, by name."),
		object("engine", engineFields, func(w *workflowFile) *workflow.Budget { return &w.budget }).
			doc("Limits of the whole conversation."),
	}
})

var engineFields = table("engine", func() rows[workflow.Budget] {
	return rows[workflow.Budget]{
		object("budget", budgetFields, func(b *workflow.Budget) *workflow.Budget { return b }).doc("The limits."),
	}
})

var budgetFields = table("budget", func() rows[workflow.Budget] {
	return rows[workflow.Budget]{
		integer("max_total_visits", counting, func(b *workflow.Budget) *int { return &b.Visits }).
			doc("The most states that are entered, the first included; after that transitions are refused."),
		integer("max_tool_calls", counting, func(b *workflow.Budget) *int { return &b.ToolCalls }).
			doc("After so many calls of tools transitions are refused. Other calls are not: see tool_policy."),
		custom("max_wall_time_sec", counting, func(d *decoder, b *workflow.Budget, v *node.Node) {
			seconds, _ := d.Int(v, "max_wall_time_sec", 1, int(counting.High))
			b.WallTime = time.Duration(seconds) * time.Second
		}).doc("After so many seconds transitions are refused. The conversation goes on: see timeout of scenarios."),
	}
})

var stateFields = table("a state", func() rows[stateFile] {
	return rows[stateFile]{
		custom("prompt_task", text, func(d *decoder, s *stateFile, v *node.Node) {
			s.PromptTask, _ = d.Name(v, "prompt_task")
			d.refer(toTask, v)
		}).doc("The task type of the prompt that speaks in this state."),
		str("description", func(s *stateFile) *string { return &s.Description }).asIs().doc("What the state is for."),
		custom("on_event", textMap, readEvents).doc("The state that follows each event."),
		custom("terminal", boolean, func(d *decoder, s *stateFile, v *node.Node) {
			s.Terminal, _ = d.Bool(v, "terminal")
			s.terminal = v
		}).doc("No event leads on: what the user says from then on is answered here."),
		integer("max_visits", counting, func(s *stateFile) *int { return &s.MaxVisits }).
			doc("How often the state may be entered."),
		custom("on_max_visits", text, func(d *decoder, s *stateFile, v *node.Node) {
			s.onMax = v
			s.OnMaxVisits, _ = d.Name(v, "on_max_visits")
		}).doc("The state that is entered instead, after that."),
		label("skills", func(s *stateFile) *string { return &s.Skills }).
			doc("Which skills the state allows: a pattern, or none."),
		idle[stateFile]("persistence", words("transient", "persistent"), "no conversation outlives its trial", "transient"),
		word("orchestration", words("internal", "external", "hybrid", "composition"),
			func(s *stateFile) *string { return &s.orchestration }).preset("internal").
			doc("Who moves on: the agent, the caller, either, or a composition."),
		custom("composition", text, func(d *decoder, s *stateFile, v *node.Node) {
			s.composition = v
			s.Composition, _ = d.Name(v, "composition")
			d.refer(toComposition, v)
		}).doc("The composition that answers in the state, with orchestration composition."),
		custom("artifacts", mapOf(artifactFields), func(d *decoder, s *stateFile, v *node.Node) {
			d.Each(v, "artifacts", func(name string, _, item *node.Node) {
				a := artifactFile{Artifact: workflow.Artifact{Name: name}}
				if artifactFields.read(d, item, &a) {
					a.Append = a.mode == "append"
					s.Artifacts = append(s.Artifacts, a.Artifact)
				}
			})
		}).doc("Texts that the agent hands on to later states, by name."),
	}
})

type artifactFile struct {
	workflow.Artifact
	mode string
}

var artifactFields = table("an artifact", func() rows[artifactFile] {
	return rows[artifactFile]{
		str("type", func(a *artifactFile) *string { return &a.Type }).must().
			asIs().doc("The type of the text, such as text/plain."),
		str("description", func(a *artifactFile) *string { return &a.Description }).asIs().doc("What it holds."),
		word("mode", words("replace", "append"), func(a *artifactFile) *string { return &a.mode }).preset("replace").
			doc("Whether a new text replaces the old one or follows it."),
	}
})

var pascalCase = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`) })

func readEvents(d *decoder, s *stateFile, v *node.Node) {
	s.Events = map[string]string{}
	d.Each(v, "on_event", func(event string, k, to *node.Node) {
		if !pascalCase().MatchString(event) {
			d.Warnf(k, "event-name", "the event %q is not in PascalCase", event)
		}
		if state, ok := d.Name(to, "on_event."+event); ok {
			s.targets = append(s.targets, to)
			s.Events[event] = state
		}
	})
}

func readStates(d *decoder, w *workflowFile, v *node.Node) {
	d.Each(v, "states", func(name string, k, state *node.Node) {
		s := stateFile{State: workflow.State{Name: name}, at: k}
		before := d.Diags.Errors()
		read := stateFields.read(d, state, &s)
		if s.broken = d.Diags.Errors() > before; read {
			w.states = append(w.states, &s)
		}
		w.names = append(w.names, name)
	})
	if len(w.names) == 0 && v.Kind == node.Map {
		d.Errorf(v, "empty-value", "states is empty")
	}
}

// workflow reads a workflow. References out of it are resolved when the project is loaded.
func (d *decoder) workflow(n *node.Node) *Workflow {
	var file workflowFile
	before := d.Diags.Errors()
	read := workflowFields.read(d, n, &file)
	w := &Workflow{Pos: d.Pos(n), names: file.names, at: map[string]diag.Pos{}}
	if !read || len(file.names) == 0 {
		return w
	}
	if file.entry != nil {
		d.oneOfNames(file.entry, "state", file.names)
	}
	w.Budget = file.budget
	for _, s := range file.states {
		d.state(&file, s)
		w.at[s.Name] = d.Pos(s.at)
		w.States = append(w.States, &s.State)
	}
	if d.Diags.Errors() > before {
		return w
	}
	w.Entry = file.entry.Value
	graph, err := workflow.New(w.Entry, w.States, w.Budget)
	if err != nil { // of what has been looked at above
		d.Errorf(n, "bad-workflow", "%v", err)
	}
	w.Graph = graph
	return w
}

var orchestrations = map[string]workflow.Orchestration{
	"external": workflow.External, "hybrid": workflow.Hybrid, "composition": workflow.Composed,
}

func (d *decoder) state(w *workflowFile, s *stateFile) {
	s.Mode = orchestrations[s.orchestration]
	for _, to := range s.targets {
		d.oneOfNames(to, "state", w.names)
	}
	if s.onMax != nil {
		d.oneOfNames(s.onMax, "state", w.names)
	}
	composed := s.Mode == workflow.Composed
	switch {
	case composed && s.composition == nil:
		d.Missing(s.at, "a state with orchestration composition", "composition")
	case !composed && s.composition != nil && !s.broken:
		d.Warnf(s.composition, NoEffect, "composition has no effect without orchestration: composition")
	}
	if !composed && s.PromptTask == "" && (s.composition == nil || !s.broken) {
		d.Missing(s.at, "the state "+quoted(s.Name), "prompt_task")
	}
	if s.broken {
		return
	}
	if s.terminal != nil && !s.Terminal && len(s.Events) == 0 {
		d.Warnf(s.terminal, NoEffect, "terminal: false has no effect: a state without on_event is terminal")
	}
	if !s.Terminal && len(s.Events) == 0 && w.version == 2 {
		d.Warnf(s.at, "dead-end", "the state %q has no on_event and is not terminal", s.Name)
	}
}

// workflow checks the workflow of the project, the config's own before that of a pack: the initial states of scenarios,
// and states that cannot be reached.
func (b *build) workflow() {
	w := b.p.Workflow
	if w == nil || w.Graph == nil {
		return
	}
	var starts []string
	for _, s := range b.p.Scenarios {
		switch start, err := b.p.Start(s); {
		case err == nil:
			starts = append(starts, start.Name)
			b.schemaOfSteps(s, start)
		case slices.ContainsFunc(b.p.Prompts, func(q *Prompt) bool { return q.TaskType == s.TaskType }):
			hint := "write the prompt_task of the state in which it starts"
			if slices.ContainsFunc(w.States, func(one *workflow.State) bool { return one.PromptTask == s.TaskType }) {
				hint = "give the state in which it starts a prompt of its own"
			}
			b.l.diags.Errorf(s.TaskTypePos, utf8.RuneCountInString(s.TaskType), "no-state", "scenario %q: %v", s.ID, err).
				Hint = hint + ", or leave task_type out to start at the entry"
		}
	}
	some := b.in.only != nil || b.broken[kindScenario] // others may start elsewhere
	for _, problem := range w.Graph.Problems(starts...) {
		if some && problem.Rule == workflow.Unreached {
			continue
		}
		b.l.diags.Warnf(w.at[problem.State], utf8.RuneCountInString(problem.State), problem.Rule, "state %q: %s",
			problem.State, problem.Text)
	}
}

// schemaOfSteps warns of a reply schema without effect: composition steps have their own.
func (b *build) schemaOfSteps(s *Scenario, start *workflow.State) {
	composed := func(state *workflow.State) bool { return state.Mode == workflow.Composed }
	if states := b.p.Workflow.Graph.From(start); s.OutputSchema != nil && !slices.ContainsFunc(states,
		func(state *workflow.State) bool { return !composed(state) }) {
		b.l.diags.Warnf(s.Pos, utf8.RuneCountInString(s.ID), NoEffect,
			"scenario %q: its output_schema has no effect: only steps of compositions answer, which have their own", s.ID).
			Hint = "write the schema at the step that answers, or judge the reply with a json_schema check"
	}
}
