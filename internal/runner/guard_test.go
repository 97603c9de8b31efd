package runner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/guard"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// scriptedModel answers with the next of its replies and records the requests. A text streams word by word.
type scriptedModel struct {
	replies []chat.Reply
	asked   []*chat.Request
	deltas  int // number of deltas sent
}

func (p *scriptedModel) Complete(
	_ context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	reply := p.replies[min(len(p.asked), len(p.replies)-1)]
	p.asked = append(p.asked, req)
	var said strings.Builder
	for word := range strings.SplitAfterSeq(reply.Content, " ") {
		if onDelta == nil {
			break
		}
		p.deltas++
		said.WriteString(word)
		if err := onDelta(chat.Delta{Text: word}); errors.Is(err, providers.ErrEnough) {
			return chat.Reply{Content: said.String(), Usage: chat.Usage{OutputTokens: p.deltas, Estimated: true}}, nil
		}
	}
	return reply, nil
}

func reply(text string, calls ...string) chat.Reply {
	r := chat.Reply{Content: text, FinishReason: "stop", Usage: chat.Usage{OutputTokens: 9}}
	for _, name := range calls {
		r.ToolCalls = append(r.ToolCalls, chat.ToolCall{ID: name, Name: name, Args: map[string]any{}})
	}
	return r
}

// guarded is a plan of one trial whose prompt has guardrails, one a line.
func guarded(t *testing.T, client providers.Provider, rails string, turns ...scenario.Turn) *Plan {
	t.Helper()
	var compiler checks.Compiler
	prompt := &scenario.Prompt{TaskType: "support"}
	for line := range strings.Lines(rails) {
		var problems diag.List
		v := scenario.ReadValidator("prompt.yaml", []byte(line), func(c *scenario.Check, d *diag.List) {
			c.Compiled = compiler.Compile(c, d)
		}, &problems)
		if v == nil {
			t.Fatalf("%s: %v", line, problems.Sorted())
		}
		prompt.Validators = append(prompt.Validators, v)
	}
	set, err := guard.New(prompt.Validators)
	if err != nil {
		t.Fatal(err)
	}
	plan := planOf(t, 1, client, turns...)
	plan.spans[0].Prompt = prompt
	plan.spans[0].Project.stances = map[*scenario.Prompt]*stance{prompt: {prompt: prompt, guards: set}}
	return plan
}

const noDamn = "{type: banned_words, params: {words: [damn]}, message: Mind your language.}\n"

func firings(turn *result.Turn) (all []string) {
	for i := range turn.Guardrails {
		f := &turn.Guardrails[i]
		all = append(all, f.Verdict.Type+" "+string(f.Action)+" "+turn.Messages[f.MessageIndex].Content)
	}
	return all
}

// In later turns the model sees the rewritten reply; the result keeps the original.
func TestGuardedReplyIsWhatEverybodySees(t *testing.T) {
	t.Parallel()
	p := &scriptedModel{replies: []chat.Reply{reply("Damn it."), reply("Fine.")}}
	saw := ""
	look := assertion("look", 0, func(_ context.Context, s *checks.Subject) (checks.Finding, error) {
		saw = s.Output()
		return checks.Finding{Score: 1}, nil
	})
	plan := guarded(t, p, noDamn, scenario.Turn{Role: "user", Content: "a", Assertions: []scenario.Placed{look}},
		scenario.Turn{Role: "user", Content: "b"})
	out := trialOf(t.Context(), plan, options(1))
	if out.Status != result.Passed || saw != "Mind your language." || out.Turns[0].Assistant != saw {
		t.Errorf("%s: the check saw %q, the turn has %q", out.Status, saw, out.Turns[0].Assistant)
	}
	if got := p.asked[1].Messages[1]; got.Content != saw {
		t.Errorf("the second call says that the model had said %q", got.Content)
	}
	if original := out.Turns[0].Messages[1].Original; original == nil || original.Content != "Damn it." {
		t.Errorf("the original is %+v", original)
	}
	if diff := cmp.Diff([]string{"banned_words replaced Mind your language."}, firings(&out.Turns[0])); diff != "" {
		t.Errorf("firings (-want +got):\n%s", diff)
	}
	if n := result.GuardsOf(out); n == nil || n.Fired != 1 {
		t.Errorf("counted %+v", n)
	}
}

// The tool calls of a replaced reply are not executed.
func TestReplacedReplyCallsNothing(t *testing.T) {
	t.Parallel()
	p := &scriptedModel{replies: []chat.Reply{reply("One moment.", "look"), reply("Damn, wait.", "wipe"), reply("Done.")}}
	out := trialOf(t.Context(), guarded(t, p, noDamn), options(1))
	turn := &out.Turns[0]
	if len(p.asked) != 2 || len(turn.ToolCalls) != 1 || turn.Assistant != "Mind your language." {
		t.Errorf("%d calls of the model, tools %v, reply %q", len(p.asked), turn.ToolCalls, turn.Assistant)
	}
	if diff := cmp.Diff([]string{"banned_words replaced Mind your language."}, firings(turn)); diff != "" {
		t.Errorf("firings (-want +got):\n%s", diff)
	}
}

// A streamed reply that is blocked is not read to its end, and the tokens read are counted.
func TestStreamIsClosed(t *testing.T) {
	t.Parallel()
	p := &scriptedModel{replies: []chat.Reply{reply("I will damn well say what I want and go on and on")}}
	plan := guarded(t, p, noDamn)
	plan.spans[0].Scenario.Streaming = true
	opts := options(1)
	limit := 50
	opts.MaxTokens = &limit
	out := trialOf(t.Context(), plan, opts)
	f := out.Turns[0].Guardrails[0]
	// The third word is the hit; it ends at the next space.
	if p.deltas != 3 || !f.StreamClosed || f.TokensSaved == nil || *f.TokensSaved != 47 {
		t.Errorf("%d words were read, %+v", p.deltas, f)
	}
	if out.Usage.OutputTokens != 3 || !out.Usage.Estimated || out.Turns[0].Assistant != "Mind your language." {
		t.Errorf("usage %+v, reply %q", out.Usage, out.Turns[0].Assistant)
	}
	if m := out.Turns[0].Messages[1]; m.Original.Content != "I will damn " {
		t.Errorf("the original is %q", m.Original.Content)
	}
}

// Blocked input is answered without the model, once a turn; a recorded validation goes with the reply.
func TestInputIsAnswered(t *testing.T) {
	t.Parallel()
	p := &scriptedModel{replies: []chat.Reply{reply("Wait.", "look"), reply("Fine.")}}
	rails := "{type: banned_words, params: {words: [damn], direction: input}, message: Not in this tone.}\n" +
		"{type: contains, params: {patterns: [please], direction: input}}\n"
	out := trialOf(t.Context(), guarded(t, p, rails, scenario.Turn{Role: "user", Content: "Damn you, please"},
		scenario.Turn{Role: "user", Content: "Sorry"}), options(1))
	if out.Status != result.Passed || len(p.asked) != 2 {
		t.Fatalf("%s (%s) after %d calls of the model", out.Status, out.Error, len(p.asked))
	}
	first, second := &out.Turns[0], &out.Turns[1]
	if first.Assistant != "Not in this tone." || second.Assistant != "Fine." {
		t.Errorf("replies %q and %q", first.Assistant, second.Assistant)
	}
	got := [][]string{firings(first), firings(second)}
	want := [][]string{{"banned_words blocked Damn you, please"}, {"contains recorded Sorry"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("firings (-want +got):\n%s", diff)
	}
	for i, m := range []*chat.Message{&first.Messages[1], &second.Messages[1]} {
		if len(m.Validations) != 1 || m.Validations[0].Details["direction"] != "input" {
			t.Errorf("turn %d: records %+v", i, m.Validations)
		}
	}
	if last := second.Messages[len(second.Messages)-1]; len(last.Validations) != 0 {
		t.Errorf("the reply after the tool carries %+v", last.Validations)
	}
}

// A guardrail that cannot judge blocks, and the trial is an error.
func TestGuardrailThatCannotJudge(t *testing.T) {
	t.Parallel()
	p := &scriptedModel{replies: []chat.Reply{reply("Fine.", "look")}}
	plan := guarded(t, p, noDamn, scenario.Turn{Role: "user", Content: "a", Assertions: []scenario.Placed{
		assertion("green", 0, scores(1)),
	}})
	check := plan.spans[0].Prompt.Validators[0].Compiled.(*checks.Compiled)
	check.Check = eval(breaks)
	out := trialOf(t.Context(), plan, options(1))
	turn := &out.Turns[0]
	if out.Status != result.Errored || out.Error != "turn 1: guardrail banned_words (prompt.yaml:1) cannot judge the output: down" {
		t.Errorf("%s: %s", out.Status, out.Error)
	}
	if turn.Assertions[0].Passed || len(turn.ToolCalls) > 0 || turn.Messages[1].Content != "Mind your language." {
		t.Errorf("%+v", turn)
	}
	if n := result.GuardsOf(out); n != nil {
		t.Errorf("it counts as fired: %+v", n)
	}
}

// Judges of guardrails are counted, whether the guardrail fires or not.
func TestJudgesOfGuardrailsAreCounted(t *testing.T) {
	t.Parallel()
	p := &scriptedModel{replies: []chat.Reply{reply("Fine.")}}
	plan := guarded(t, p, "{type: toxicity, params: {}}\n")
	plan.spans[0].Project.judges = judgesThatSay(t, `{"score": 1, "reasoning": "harmless"}`)
	out := trialOf(t.Context(), plan, options(1))
	if out.Status != result.Passed || len(out.Turns[0].GuardJudgements) != 1 || len(out.Turns[0].Guardrails) != 0 {
		t.Fatalf("%s (%s): %+v", out.Status, out.Error, out.Turns[0])
	}
	if out.Judges == nil || out.Judges.Calls != 1 {
		t.Errorf("judges: %+v", out.Judges)
	}
}

// judgesThatSay is a pool whose default judge always gives the same answer.
func judgesThatSay(t *testing.T, text string) *judges.Pool {
	t.Helper()
	spec := &scenario.Provider{Meta: scenario.Meta{ID: "judge"}}
	client := &scriptedModel{replies: []chat.Reply{reply(text)}}
	return judges.New(map[grading.JudgeUse]judges.Judge{
		{}: {Name: "judge", Endpoint: judges.NewEndpoint(client, spec, false)},
	}, judges.NewMemory(0))
}
