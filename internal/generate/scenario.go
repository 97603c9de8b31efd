package generate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// Options say how scenarios are generated. The zero value works.
type Options struct {
	TaskType  string // the prompt of the scenarios; "": the recording's prompt, where it names one
	Variables map[string]string
	// Setting are further keys of the scenarios, such as policies; nil: none. No other option writes one of them.
	Setting *node.Node
	// Starts are the task types with which scenarios start in the states of a workflow; "": none does. A conversation
	// that says in which state it began has that of the state, before TaskType. nil: there is no workflow.
	Starts map[string]string
	// GuardrailsActive says that the prompt's guardrails run in the scenario: the mock gives the model's original reply,
	// rather than the reply after the guardrails.
	GuardrailsActive bool
	// DropUnknown leaves out failed checks that cannot be carried over. Without it, they are an error.
	DropUnknown bool
	// Origin is where the conversations come from, for the comment above a scenario; none: the recording and its session.
	Origin []string
	// Read reads a user's file by its path; nil when there is no such file.
	Read func(path string) ([]byte, error)
}

// Generator makes scenarios. It belongs to one goroutine.
type Generator struct {
	opts     Options
	compiler checks.Compiler
	declared declarations
	names    Names
}

// New makes a Generator.
func New(opts Options) *Generator {
	read := opts.Read
	if read == nil {
		read = func(string) ([]byte, error) { return nil, errors.New("no files") }
	}
	return &Generator{opts: opts, declared: declarations{read: read}}
}

// Scenario is a scenario file.
type Scenario struct {
	ID     string // unique within the Generator, and fit to be a file name
	Text   string
	Failed int      // number of checks that failed in the recording
	Notes  []string // differences from the recording, for people
}

// Scenario makes a scenario of a recorded conversation: the user's messages become turns, the replies and tool results
// become mock replies, and the verdicts become assertions. An error says why that is not possible.
func (g *Generator) Scenario(s *recording.Session) (*Scenario, error) {
	w := &builder{g: g, s: s}
	if err := w.checkStart(); err != nil {
		return nil, err
	}
	if err := w.checkEvals(); err != nil {
		return nil, err
	}
	w.timed = slices.ContainsFunc(verdicts(s), func(a recording.Verdict) bool { return g.readsLatency(&a) })
	turns, err := w.turns()
	if err != nil {
		return nil, err
	}
	conversation, err := w.assertions(s.Verdicts, scenario.ConversationAssertion, "of the conversation")
	if err != nil {
		return nil, err
	}
	if w.asserted == 0 {
		conversation = w.fallbackAssertions(turns)
	}
	if task := w.s.TaskType; task != "" && g.opts.TaskType == "" {
		w.notef("it speaks to the prompt %q: run it with the config that has it: arena run -c FILE", task)
	}
	if w.asksJudge {
		w.notef("a model judges in it: run it with a config that has a judge (-c), or with --judge")
	}
	made := &Scenario{ID: g.names.Unique(s.ID, s.Scenario), Failed: w.failed, Notes: w.notes}
	text, err := node.Text(w.document(made.ID, turns, conversation))
	if err != nil {
		return nil, err
	}
	made.Text = w.header() + text
	return made, nil
}

// document is the scenario without the comment above it.
func (w *builder) document(id string, turns, conversation *node.Node) *node.Node {
	root := node.NewMap()
	node.Put(root, "id", node.Str(id))
	node.Put(root, "description", node.Str(scenario.Literal(w.description())))
	if task := w.taskType(); task != "" {
		node.Put(root, "task_type", node.Str(task))
	}
	if w.streamed() {
		node.Put(root, "streaming", node.Bool(true))
	}
	if len(w.g.opts.Variables) > 0 {
		vars := jsonvalue.Object{}
		for name, text := range w.g.opts.Variables {
			vars[name] = text
		}
		node.Put(root, "variables", node.FromJSON(vars))
	}
	if setting := w.g.opts.Setting; setting != nil {
		root.Content = append(root.Content, setting.Content...)
	}
	if len(w.s.Tags) > 0 {
		tags := node.NewList()
		for _, t := range w.s.Tags {
			for _, tag := range scenario.SplitTags(t) {
				tags.Content = append(tags.Content, node.Str(tag))
			}
		}
		node.Put(root, "tags", tags)
	}
	node.Put(root, "labels", w.labels())
	node.Put(root, "turns", turns)
	node.Put(root, "conversation_assertions", conversation)
	node.QuoteBlocks(root, scenario.HasKeyLines)
	return root
}

// builder makes one scenario.
type builder struct {
	g         *Generator
	s         *recording.Session
	failed    int
	asserted  int  // checks that were carried over
	asksJudge bool // a check needs a judge
	timed     bool // a check reads latencies
	notes     []string
}

// taskType returns the prompt of the scenario.
func (w *builder) taskType() string {
	return cmp.Or(w.g.opts.Starts[w.s.Start], w.g.opts.TaskType, w.s.TaskType)
}

// checkStart reports a conversation that began where no scenario can.
func (w *builder) checkStart() error {
	switch task, known := w.g.opts.Starts[w.s.Start]; {
	case w.g.opts.Starts == nil || w.s.Start == "" || task != "":
		return nil
	case !known:
		return fmt.Errorf("the conversation began in the state %q, which the workflow of the pack does not have", w.s.Start)
	}
	return fmt.Errorf("the conversation began in the state %q, in which no scenario can start: "+
		"it has no prompt of its own, or shares it with another state", w.s.Start)
}

// guarded reports whether the guardrails that changed recorded replies run again. If so, the mock gives the model's
// original replies.
func (w *builder) guarded() bool { return w.g.opts.GuardrailsActive || w.taskType() != "" }

// streamed reports whether all replies were streamed.
func (w *builder) streamed() bool {
	spoke := false
	for i := range w.s.Messages {
		if m := &w.s.Messages[i]; m.Role == chat.Assistant && !m.Blocked() {
			if !m.Streamed {
				return false
			}
			spoke = true
		}
	}
	return spoke
}

func (w *builder) notef(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

func (w *builder) description() string {
	text := "Conversation " + w.s.ID
	if w.s.Scenario != "" && w.s.Scenario != w.s.ID {
		text += " of scenario " + w.s.Scenario
	}
	if model := w.s.Model; model != "" {
		text += " with " + model
	} else if w.s.Provider != "" {
		text += " with " + w.s.Provider
	}
	if !w.s.Started.IsZero() {
		text += ", recorded " + w.s.Started.UTC().Format("2006-01-02 15:04:05") + " UTC"
	}
	return oneLine(text, 300)
}

// labels returns the labels of the recording, and one for the session.
func (w *builder) labels() *node.Node {
	labels := jsonvalue.Object{}
	for name, text := range w.s.Labels {
		labels[name] = text
	}
	labels["recorded_session"] = w.s.ID
	return node.FromJSON(labels)
}

func (w *builder) header() string {
	lines := slices.Clone(w.g.opts.Origin)
	if len(lines) == 0 {
		lines = []string{fmt.Sprintf("Made by arena generate from %s, session %q.", w.s.File, w.s.ID)}
	}
	switch {
	case w.failed > 0:
		lines = append(lines, fmt.Sprintf("It was red: %d failed. The mock replies are what the agent said then;", w.failed),
			"another provider is asked again, and must do better.")
	case w.s.Error != "":
		lines = append(lines, "It broke off: "+w.s.Error)
	}
	if w.asksJudge {
		lines = append(lines, "A model judges in it: run it with a config that has a judge (-c), or with --judge.")
	}
	return header(lines...)
}
