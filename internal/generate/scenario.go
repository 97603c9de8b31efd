package generate

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// Options say how scenarios are made. The zero value works.
type Options struct {
	TaskType  string // the prompt that they speak to; "": that of the recording, where it names one
	Variables map[string]string
	// Guarded says that the guardrails of the prompt are at work: the mock says what the model said, not what was made
	// of it.
	GuardrailsActive bool
	// DropUnknown leaves out failed checks that cannot be carried over, where else there would be no scenario.
	DropUnknown bool
	// Read reads a file of the user, by its path; nil: none is there.
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
	ID     string // fit to be a file name, and unlike every other one of the Generator
	Text   string
	Failed int      // checks that had failed
	Notes  []string // what is different from the recording, for people
}

// Scenario tells a recorded conversation as a scenario: what the user said as turns, what the assistant said and the
// tools returned as mock replies, and the verdicts as assertions. An error says why it cannot be told.
func (g *Generator) Scenario(s *recording.Session) (*Scenario, error) {
	w := &builder{g: g, s: s}
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
		w.notef("it speaks to the prompt %q: run it with the config that has it: arena run -c …", task)
	}
	if w.asksJudge {
		w.notef("a model judges in it: run it with a config that has a judge (-c), or with --judge")
	}
	made := &Scenario{ID: g.names.Unique(s.ID, s.Scenario), Failed: w.failed, Notes: w.notes}
	root := node.NewMap()
	node.Put(root, "id", node.Str(made.ID))
	node.Put(root, "description", node.Str(scenario.Literal(w.description())))
	if task := w.taskType(); task != "" {
		node.Put(root, "task_type", node.Str(task))
	}
	if w.streamed() {
		node.Put(root, "streaming", node.Bool(true))
	}
	if len(g.opts.Variables) > 0 {
		vars := map[string]any{}
		for name, text := range g.opts.Variables {
			vars[name] = text
		}
		node.Put(root, "variables", node.FromJSON(vars))
	}
	if len(s.Tags) > 0 {
		tags := node.NewList()
		for _, t := range s.Tags {
			for _, tag := range scenario.SplitTags(t) {
				tags.Content = append(tags.Content, node.Str(tag))
			}
		}
		node.Put(root, "tags", tags)
	}
	node.Put(root, "labels", w.labels())
	node.Put(root, "turns", turns)
	node.Put(root, "conversation_assertions", conversation)
	text, err := node.Text(root)
	if err != nil {
		return nil, err
	}
	made.Text = w.header() + text
	return made, nil
}

// checkEvals says what made a conversation red and cannot stand in a scenario, where no prompt brings it along.
func (w *builder) checkEvals() error {
	for i := range w.s.Evals {
		if e := &w.s.Evals[i]; e.Failed && !w.guarded() && !w.g.opts.DropUnknown {
			return fmt.Errorf("the eval %q did not meet its threshold, and the scenario would have none: "+
				"name the prompt with --task-type, or a pack", e.ID)
		}
	}
	return nil
}

// checkGuardrails says that a guardrail fired that must not, where the scenario has none that could fire again.
func (w *builder) checkGuardrails(a *recording.Verdict, n *node.Node) error {
	d, known := checks.Lookup(a.Type)
	if w.guarded() || !a.Failed() || !known || d.Name != "guardrail_triggered" {
		return nil
	}
	for _, key := range []string{"should_trigger", "expected", "assertions"} {
		if v := node.Get(node.Get(n, "params"), key); v != nil && v.Value == "false" {
			return errors.New("a guardrail fired that must not, and the scenario would have none: " +
				"name the prompt with --task-type, or a pack")
		}
	}
	return nil
}

// verdicts are all those of a recording.
func verdicts(s *recording.Session) []recording.Verdict {
	all := slices.Clone(s.Verdicts)
	for i := range s.Messages {
		all = append(all, s.Messages[i].Verdicts...)
	}
	return all
}

// builder makes one scenario.
type builder struct {
	g         *Generator
	s         *recording.Session
	failed    int
	asserted  int  // checks that were carried over
	asksJudge bool // a check asks a model
	timed     bool // a check looks at times
	notes     []string
}

// taskType names the prompt of the scenario.
func (w *builder) taskType() string { return cmp.Or(w.g.opts.TaskType, w.s.TaskType) }

// guarded says that the guardrails which changed replies when they were recorded are at work again: the mock says what
// the model said, and not what was made of it.
func (w *builder) guarded() bool { return w.g.opts.GuardrailsActive || w.taskType() != "" }

// streamed says that all replies were asked for as streams.
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

// labels are those of the recording, and which session it was.
func (w *builder) labels() *node.Node {
	labels := map[string]any{}
	for name, text := range w.s.Labels {
		labels[name] = text
	}
	labels["recorded_session"] = w.s.ID
	return node.FromJSON(labels)
}

func (w *builder) header() string {
	lines := []string{fmt.Sprintf("Made by arena generate from %s, session %q.", w.s.File, w.s.ID)}
	switch {
	case w.failed > 0:
		lines = append(lines, fmt.Sprintf("It was red: %d failed. The mock replies are what the agent said then;", w.failed),
			"another provider is asked anew, and must do better.")
	case w.s.Error != "":
		lines = append(lines, "It broke off: "+w.s.Error)
	}
	if w.asksJudge {
		lines = append(lines, "A model judges in it: run it with a config that has a judge (-c), or with --judge.")
	}
	return header(lines...)
}

// turns writes what the user said, with the replies and the assertions of each.
func (w *builder) turns() (*node.Node, error) {
	list := node.NewList()
	for n, turn := range recording.Turns(w.s.Messages) {
		one, err := w.turn(n, turn)
		if err != nil {
			return nil, err
		}
		if one != nil {
			list.Content = append(list.Content, one)
		}
	}
	switch {
	case len(list.Content) == 0 && w.s.Error != "":
		return nil, fmt.Errorf("nobody answered in it; it broke off: %s", w.s.Error)
	case len(list.Content) == 0:
		return nil, errors.New("nobody answered in it")
	case w.s.Error != "":
		if err := w.breakOff(list.Content[len(list.Content)-1]); err != nil {
			return nil, err
		}
	}
	for _, turn := range list.Content {
		if len(node.Get(turn, "mock").Content) == 0 {
			return nil, errors.New("nobody answered in a turn before the last one")
		}
	}
	return list, nil
}

// turn writes one turn; nil when there is nothing to ask or nobody answered.
func (w *builder) turn(n int, turn []recording.Message) (*node.Node, error) {
	asked := recording.UserText(turn)
	replies, err := w.replies(n, turn)
	if err != nil {
		return nil, err
	}
	spoke := slices.ContainsFunc(turn, func(m recording.Message) bool { return m.Role == chat.User })
	switch {
	case !spoke && len(replies) > 0:
		w.notef("what the assistant said before the user spoke is left out")
		return nil, nil
	case !spoke:
		return nil, nil
	case w.s.Error == "" && unanswered(turn):
		w.notef("turn %d is left out: nobody answered", n+1)
		return nil, nil
	case strings.TrimSpace(asked) == "":
		return nil, fmt.Errorf("turn %d: the user says nothing", n+1)
	}
	for i := range turn {
		for _, p := range turn[i].Parts {
			if turn[i].Role == chat.User && p.Type != "text" {
				return nil, fmt.Errorf("turn %d: the user sends an %s, which a scenario cannot send yet", n+1, p.Type)
			}
		}
	}
	out := node.NewMap()
	node.Put(out, "role", node.Str("user"))
	node.Put(out, "content", node.Str(asked))
	if scenario.Templated(asked) || strings.Contains(asked, "assertions:") {
		node.Put(out, "literal", node.Bool(true))
	}
	if !w.streamed() && slices.ContainsFunc(turn, func(m recording.Message) bool { return m.Streamed }) {
		node.Put(out, "streaming", node.Bool(true))
	}
	node.Put(out, "mock", node.NewList(replies...))
	var given []recording.Verdict
	for i := range turn {
		given = append(given, turn[i].Verdicts...)
	}
	asserted, err := w.assertions(given, scenario.TurnAssertion, fmt.Sprintf("of turn %d", n+1))
	node.Put(out, "assertions", asserted)
	return out, err
}

// unanswered reports whether a turn ends without a reply, or with the call of a tool, and nobody has judged it.
func unanswered(turn []recording.Message) bool {
	for i := len(turn) - 1; i >= 0; i-- {
		switch m := &turn[i]; {
		case len(m.Verdicts) > 0:
			return false
		case m.Role == chat.Assistant:
			return len(m.ToolCalls) > 0
		}
	}
	return true
}

// replies writes what the assistant said in a turn. Several messages on end become one: a turn ends with the first
// message that calls no tool.
func (w *builder) replies(n int, turn []recording.Message) (list []*node.Node, err error) {
	var open *chat.Message
	for i := range turn {
		m := turn[i].Message
		if m.Role != chat.Assistant {
			continue
		}
		if w.guarded() && !m.Blocked() { // of a blocked turn the model is not asked
			m = turn[i].Said()
		}
		if open != nil {
			w.notef("turn %d: consecutive messages of the assistant became one", n+1)
			joined := join(open, &m)
			list, m = list[:len(list)-1], joined
		}
		list = append(list, reply(&m, recording.Results(turn, i), w.timed))
		if open = nil; len(m.ToolCalls) == 0 {
			open = &m
		}
	}
	return list, nil
}

func join(a, b *chat.Message) chat.Message {
	out := *b
	out.Content = strings.Trim(a.Text()+"\n\n"+b.Text(), "\n")
	if len(a.Parts) > 0 && a.Content == "" {
		out.Parts = append(slices.Clone(a.Parts), b.Parts...)
	}
	if a.Usage != nil && b.Usage != nil {
		out.Usage = new(a.Usage.Add(*b.Usage))
	}
	if a.CostUSD != nil && b.CostUSD != nil {
		out.CostUSD = new(*a.CostUSD + *b.CostUSD)
	}
	return out
}

// errorPrefix is how errors of arena begin: a new run says anew where it was.
var errorPrefix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^turn \d+: (?:provider [^\s:]+: )?`)
})

// breakOff makes the last turn end as the recording did: in an error. After a reply that ends the turn there is no
// model call left that could fail, so the scenario would pass.
func (w *builder) breakOff(turn *node.Node) error {
	mock := node.Get(turn, "mock")
	if n := len(mock.Content); n > 0 && node.Get(mock.Content[n-1], "tool_calls") == nil {
		return fmt.Errorf("it broke off after its last reply, which a scenario cannot express: %s", w.s.Error)
	}
	broken := node.NewMap()
	why := oneLine(errorPrefix().ReplaceAllString(w.s.Error, ""), 500)
	node.Put(broken, "error", node.Str(cmp.Or(why, "the recording broke off")))
	mock.Content = append(mock.Content, broken)
	return nil
}

// assertions writes the checks of verdicts, each once; nil when there are none. A failed check that cannot be carried
// over is an error: without it the scenario would be green.
func (w *builder) assertions(
	list []recording.Verdict, surface scenario.Surface, where string,
) (*node.Node, error) {
	out := node.NewList()
	seen := map[string]bool{}
	for i := range list {
		a := &list[i]
		switch {
		case a.Unanswered && surface == scenario.ConversationAssertion:
			w.notef("%s is left out: its turn never came", a.Type)
			continue
		case a.Skipped && a.Declared.Line == 0:
			w.notef("%s %s is left out: it was skipped, and its condition was not recorded", a.Type, where)
			continue
		}
		n, err := w.g.assertion(a, surface)
		if err == nil {
			err = w.checkGuardrails(a, n)
		}
		if err != nil && a.Failed() && !a.Unanswered && !w.g.opts.DropUnknown {
			return nil, fmt.Errorf("%s %s failed and cannot be carried over: %w", a.Type, where, err)
		}
		if err != nil {
			w.notef("%s %s is left out: %v", a.Type, where, err)
			continue
		}
		if a.Failed() && !a.Unanswered {
			w.failed++
		}
		w.asksJudge = w.asksJudge || asksModel(a.Type)
		text, err := node.Text(n)
		if err != nil {
			return nil, err
		}
		if !seen[text] {
			seen[text] = true
			w.asserted++
			out.Content = append(out.Content, n)
		}
	}
	if len(out.Content) == 0 {
		return nil, nil
	}
	return out, nil
}
