package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/own"
	"github.com/arena-evals/arena/internal/workflow"
)

// flow is the position of a trial in a workflow: from its state machine, or as a finished conversation reports it.
type flow struct {
	machine           *workflow.Machine // nil: the conversation is over
	graph             *workflow.Graph   // nil: the project has no workflow
	current           string            // state; "": not known
	start             string            // first state; "": not known
	context           string            // text handed over by the last transition
	systemMessages    int               // number of system messages in the transcript
	lastSystemMessage int               // index of the current one
	speakers          []*speaker        // in the order in which they spoke first
	speaker           *speaker          // of the last reply

	steps []result.Transition

	artifacts map[string]string // of a rejudged trial, as its calls set them

	finished  *result.Workflow // workflow of the rejudged trial; nil: not rejudged
	reported  *result.Workflow // from the recording or the finished trial; nil: derived from the messages
	ownStates []string         // states that speak with the prompt of the trial; nil: those of the graph
}

// speaker is a prompt that spoke in the conversation.
type speaker struct {
	prompt *scenario.Prompt
	stance stance
}

// newFlow starts the workflow of a trial; nil: it has none.
func newFlow(t *Trial) *flow {
	if t.Start == nil || t.Recorded != nil || t.Finished != nil {
		return nil
	}
	g := t.Project.Workflow.Graph
	return &flow{machine: g.Start(t.Start), graph: g, current: t.Start.Name, start: t.Start.Name}
}

// enter makes the session speak with the prompt of the current state.
func (s *session) enter(ctx context.Context) error {
	f := s.flow
	state := f.machine.Current()
	prompt := s.trial.Project.PromptOf(state)
	if s.skills != nil {
		s.skills.Enter(s.trial.Project.skills.filters[state])
	}
	s.takeStance(prompt)
	system, err := s.systemPrompt(prompt)
	if err != nil {
		return fmt.Errorf("state %q: %w", state.Name, err)
	}
	f.lastSystemMessage, f.systemMessages = len(s.messages), f.systemMessages+1
	s.add(chat.Message{Role: chat.System, Content: system, State: state.Name})
	return s.refreshTools(ctx)
}

// advance makes the transition that the model asked for in a round of tool calls. ended is true when the new state has
// no agent that speaks within this turn.
func (s *session) advance(ctx context.Context, loop *toolLoop) (ended bool, err error) {
	f := s.flow
	if f == nil {
		return false, nil
	}
	t, moved := f.machine.Commit()
	if !moved {
		return false, nil
	}
	f.step(result.Transition{From: t.From, To: t.To, Event: t.Event, Turn: t.Turn, Redirected: t.Redirected})
	s.emit.transition(&f.steps[len(f.steps)-1])
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	loop.enter(t.From, t.To)
	return f.machine.Current().Stops(), nil
}

// countCalls counts the tool calls of a round that ran: those that were not refused.
func (s *session) countCalls(refusals []string) {
	if s.flow == nil || s.flow.machine == nil {
		return
	}
	for _, refusal := range refusals {
		switch {
		case refusal != "":
		case s.step != nil: // other steps may run concurrently
			s.step.executed++
		default:
			s.flow.machine.Called(1)
		}
	}
}

// reportBudget warns of a trial that exceeded the budget of its workflow. The budget itself stops only transitions.
func (s *session) reportBudget() {
	if s.flow == nil || s.flow.machine == nil {
		return
	}
	for _, what := range s.flow.machine.Exceeded(s.clock.elapsed()) {
		s.out.Warnings = append(s.out.Warnings,
			"the budget of the workflow was exceeded: the trial took "+what+"; it refuses only transitions")
	}
}

// artifact is the text of an artifact; "": not set.
func (f *flow) artifact(name string) string {
	if f.machine != nil {
		return f.machine.Artifact(name)
	}
	return f.artifacts[name]
}

func (f *flow) step(t result.Transition) {
	f.steps = append(f.steps, t)
	f.current = t.To
}

// stateName is the current state; "": no workflow, or not known.
func (s *session) stateName() string {
	if s.flow == nil {
		return ""
	}
	return s.flow.current
}

// noteSpeaker records which prompt gave the last reply.
func (s *session) noteSpeaker() {
	if f := s.flow; f != nil && f.machine != nil && s.step == nil {
		f.addSpeaker(s.stance.prompt, s.stance)
	}
}

// noteSpeakerIn records which prompt gave a reply of a finished conversation. A caller that hands over a conversation
// names the prompt.
func (s *session) noteSpeakerIn(state string) {
	f := s.flow
	if f.graph == nil || s.trial.Finished == nil && s.trial.Recorded.File == "" {
		return
	}
	if at := f.graph.State(state); at != nil && at.Mode != workflow.Composed {
		prompt := s.trial.Project.PromptOf(at)
		f.addSpeaker(prompt, s.stanceUnder(prompt))
	}
}

func (f *flow) addSpeaker(prompt *scenario.Prompt, as stance) {
	if f.speaker != nil && f.speaker.prompt == prompt {
		return
	}
	at := slices.IndexFunc(f.speakers, func(k *speaker) bool { return k.prompt == prompt })
	if at < 0 {
		at = len(f.speakers)
		f.speakers = append(f.speakers, &speaker{prompt, as})
	}
	f.speaker = f.speakers[at]
}

// complete reports whether the current state is terminal.
func (f *flow) complete() bool {
	switch {
	case f.machine != nil:
		return f.machine.Complete()
	case f.reported != nil:
		return f.reported.Complete
	}
	return f.ends(f.current)
}

func (f *flow) ends(state string) bool {
	if f.graph == nil {
		return false
	}
	at := f.graph.State(state)
	return at != nil && at.Ends()
}

// workflowForChecks is the workflow as checks see it; nil: none.
func (s *session) workflowForChecks() *checks.Workflow {
	f := s.flow
	if f == nil {
		return nil
	}
	w := &checks.Workflow{Current: f.current, Complete: f.complete()}
	if len(f.steps) > 0 {
		w.Transitions = make([]checks.Transition, len(f.steps))
		for i, t := range f.steps {
			w.Transitions[i] = checks.Transition{From: t.From, To: t.To, Event: t.Event, Turn: t.Turn}
		}
	}
	return w
}

// progress is the present state of the workflow for results; nil: none.
func (f *flow) progress() *result.Workflow {
	if f == nil {
		return nil
	}
	w := &result.Workflow{
		Start: f.start, State: f.current, Complete: f.complete(), Transitions: slices.Clip(f.steps),
	}
	if w.Transitions == nil {
		w.Transitions = []result.Transition{}
	}
	return w
}

// report adds the path through the workflow to the result.
func (f *flow) report(out *result.Trial) {
	if f == nil {
		return
	}
	w := f.progress()
	if f.finished != nil { // refused calls and artifacts stay as they were
		w.Artifacts, w.Refused = f.finished.Artifacts, f.finished.Refused
	}
	if f.machine != nil {
		w.Artifacts = f.machine.Artifacts()
		for _, r := range f.machine.Refusals() {
			w.Refused = append(w.Refused, result.RefusedTransition{From: r.From, Event: r.Event, Turn: r.Turn, Reason: r.Reason})
		}
	}
	out.Workflow = w
}

// systemPrompt renders a prompt, and appends the skills that are always active.
func (s *session) systemPrompt(prompt *scenario.Prompt) (string, error) {
	text, err := s.rendered(prompt)
	extra := s.preloaded()
	if err != nil || extra == "" {
		return text, err
	}
	if text == "" {
		return extra, nil
	}
	return strings.TrimRight(text, "\n") + "\n\n" + extra, nil
}

// rendered fills in the variables of a prompt. Text from the workflow is never treated as a template.
func (s *session) rendered(prompt *scenario.Prompt) (string, error) {
	t := s.trial
	vars, err := scenario.Variables(prompt, t.Scenario, t.Region)
	if err != nil {
		return "", err
	}
	s.variables = vars
	if prompt == nil {
		return "", nil
	}
	var late []string // pairs of a placeholder and the text that replaces it
	if f := s.flow; f != nil && f.graph != nil {
		put := func(name, value string) {
			mark := "\x00" + name + "\x00"
			late = append(late, mark, value)
			vars[name] = mark
		}
		put(scenario.ContextVariable, f.context)
		for _, name := range f.graph.ArtifactNames() {
			put(scenario.ArtifactPrefix+name, f.artifact(name))
		}
	}
	text, err := scenario.SystemPrompt(prompt, t.Endpoint.Spec.Model, vars, t.Scenario)
	if late == nil || err != nil {
		return text, err
	}
	for i := 0; i < len(late); i += 2 {
		vars[strings.Trim(late[i], "\x00")] = late[i+1]
	}
	if !strings.Contains(text, "\x00") {
		return text, nil
	}
	return strings.NewReplacer(late...).Replace(text), nil
}

// ownCall runs a call of a workflow or skill tool. ok is false for other tools.
func (s *session) ownCall(call chat.ToolCall, turn int) (res chat.ToolResult, ok bool) {
	if !s.owns(call.Name) {
		return chat.ToolResult{}, false
	}
	if call.Args == nil {
		return tools.Failure(call, chat.ErrorValidation, chat.ArgsProblem(call.BadArgs)+": "+call.BadArgs), true
	}
	args, err := own.Signatures()[call.Name].Take(call.Args)
	if err != nil {
		if call.Name == workflow.TransitionTool {
			s.flow.machine.Refuse(eventOf(call.Args), turn, "its arguments are wrong: "+err.Error())
		}
		return tools.Failure(call, chat.ErrorValidation, fmt.Sprintf("invalid arguments for %s: %v", call.Name, err)), true
	}
	var answer any
	switch call.Args = args; call.Name {
	case workflow.TransitionTool:
		answer, err = s.transition(args, turn)
	case workflow.ArtifactTool:
		answer, err = s.setArtifact(args)
	default:
		answer, err = s.skillCall(call)
	}
	return answered(call, answer, err), true
}

// eventOf is the event in the arguments of a call, as text.
func eventOf(args map[string]any) string {
	if text, ok := args["event"].(string); ok || args["event"] == nil {
		return text
	}
	return jsonvalue.Compact(args["event"])
}

// owns reports whether a tool belongs to the workflow or the skills. Such calls run in order and are not in cassettes:
// their results follow from the replies.
func (s *session) owns(tool string) bool {
	if s.flow != nil && s.flow.machine != nil && (tool == workflow.TransitionTool || tool == workflow.ArtifactTool) {
		return true
	}
	return s.skills != nil && slices.Contains(skill.ToolNames, tool)
}

func (s *session) transition(args map[string]any, turn int) (any, error) {
	m := s.flow.machine
	event, _ := args["event"].(string) // the schema makes sure it is a text
	t, err := m.Ask(event, turn, s.clock.elapsed())
	if err != nil {
		return nil, err
	}
	s.flow.context, _ = args["context"].(string)
	return t.Answer(), nil
}

// maxArtifact is the size limit of an artifact in bytes.
const maxArtifact = 1 << 20

func (s *session) setArtifact(args map[string]any) (any, error) {
	m := s.flow.machine
	name, _ := args["name"].(string) // the schema makes sure it is a text
	value, _ := args["value"].(string)
	if len(m.Artifact(name))+len(value) > maxArtifact {
		return nil, fmt.Errorf("an artifact holds at most %d bytes", maxArtifact)
	}
	if err := m.SetArtifact(name, value); err != nil {
		return nil, err
	}
	return struct {
		Status   string `json:"status"`
		Artifact string `json:"artifact"`
	}{"artifact_set", name}, nil
}
