package recording

import (
	"iter"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

// hasNoMessages reports whether a trial ended before its first message. A judged trial without messages has lost them.
func hasNoMessages(trial value) bool {
	if status, _ := trial.get("status").str(); judged(status) {
		return false
	}
	for turn := range trial.get("turns").items {
		for range turn.get("messages").items {
			return false
		}
		if reply, _ := turn.get("assistant").str(); reply != "" {
			return false
		}
		for range turn.get("toolcalls").items {
			return false
		}
	}
	return true
}

// countNotStarted is 1 for a trial that was stopped before it started, and 0 for a skipped trial.
func countNotStarted(trial value) int {
	if status, _ := trial.get("status").str(); status == result.Cancelled.String() {
		return 1
	}
	return 0
}

// judged reports whether a trial with this status was judged.
func judged(status string) bool {
	return status == result.Passed.String() || status == result.Failed.String()
}

// noteEmptyTrials notes the number of trials without messages.
func (s *scan) noteEmptyTrials(n int) {
	if n > 0 {
		s.notef("%s without a message left out: it was skipped or never started", plural.Count(n, "trial"))
	}
}

// lostHint is the hint for recordings with missing messages.
const lostHint = "the recording lacks messages; record the conversation again"

// readResults reads a trial of results.json.
func readResults(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		b.trial(p.value)
	}
}

// readJournal reads a trial of a journal.
func readJournal(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		b.trial(p.get("trial"))
	}
}

// trial reads a trial as arena writes it.
func (b *builder) trial(v value) {
	t, err := result.DecodeTrial(v.text, 0)
	if err != nil {
		b.errorf(v, "corrupt-trial", "this is no trial of arena: %v", err)
		return
	}
	if t.ID == "" || t.Status == result.Unset {
		b.errorf(v, "corrupt-trial", "a trial without id or status")
		return
	}
	if err := t.CheckComplete(); err != nil {
		b.errorf(v, "corrupt-trial", "the trial %s is damaged: %v", t.ID, err).Hint = lostHint
	}
	if err := t.CheckConsistency(v.text); err != nil {
		b.errorf(v, "corrupt-trial", "the trial %s %v", t.ID, err).Hint =
			"the file was edited or merged; take the one that arena wrote"
	}
	s := b.session
	s.ID, s.Scenario, s.Provider, s.Model, s.Region = t.ID, t.Scenario, t.Provider, t.Model, t.Region
	s.Tags, s.Labels, s.Error, s.TaskType = t.Tags, t.Labels, t.Error, t.TaskType
	s.Metadata = t.Metadata
	if r := t.Recording; r != nil { // the trial judged a recording
		s.MissingInfo = r.MissingInfo
	}
	if t.Workflow != nil {
		s.Start = t.Workflow.Start
	}
	if t.Status == result.Cancelled && s.Error == "" {
		s.Error = "the run was stopped"
	}
	s.Verdicts = verdictsOf(t.Conversation)
	for i := range t.Evals {
		e := &t.Evals[i]
		s.Evals = append(s.Evals, Eval{
			ID: e.ID, Type: e.Type, Score: e.Score, Explanation: e.Explanation, Error: e.Error, Skipped: e.Skipped,
			Failed: e.Gates() && (e.Status == result.Failed || e.Status == result.Errored),
		})
	}
	pos := b.pos(v)
	if t.System != "" {
		b.add(event{Message: Message{Message: chat.Message{Role: chat.System, Content: t.System}, Offset: -1, Pos: pos}})
	}
	i := 0
	for turn := range v.get("turns").items {
		if o, ok := b.object(turn, "a turn"); ok && i < len(t.Turns) {
			b.trialTurn(&t.Turns[i], o)
		}
		i++
	}
}

func (b *builder) trialTurn(t *result.Turn, o object) {
	b.checkFields(o, "a turn", trialTurnFields())
	if t.NotRun != "" {
		b.notef("turn %d was not run: %s", t.Index+1, t.NotRun)
	}
	if t.Error != "" && b.session.Error == "" {
		b.session.Error = t.Error
	}
	first := len(b.events)
	list := o.get("messages")
	if list.kind() != '[' && t.NotRun == "" && t.Error == "" && b.session.Error == "" {
		b.errorf(list.or(o.value), "missing-content", "messages must be a list, found %s", describe(list)).
			Hint = lostHint
	}
	for item := range list.items {
		word, _ := item.get("role").str()
		if role, known := chat.ParseRole(word); !known || string(role) != word { // as arena writes it
			b.errorf(item, "unknown-role", "unknown role %q", cutText(word, 40))
			return
		}
		if e, ok := b.message(item); ok {
			e.Streamed = t.Streamed && e.Role == chat.Assistant
			e.Script = new(t.Script())
			b.add(e)
		}
	}
	for i := first; i < len(b.events); i++ {
		b.events[i].traced = t.Trace != nil
	}
	for i := len(b.events) - 1; i >= first; i-- {
		if b.events[i].Role == chat.Assistant {
			b.events[i].Verdicts = verdictsOf(t.Assertions)
			if t.Composition != nil {
				b.events[i].Steps = &Steps{t.Composition, t.ToolCalls}
			}
			b.events[i].Trace = t.Trace
			return
		}
	}
	lost := verdictsOf(t.Assertions) // verdicts that belong to no reply
	for i := range lost {
		lost[i].Unanswered = true
	}
	if len(b.events) > first {
		b.events[len(b.events)-1].Verdicts = lost
		return
	}
	b.session.Verdicts = append(b.session.Verdicts, lost...)
}

func verdictsOf(list []result.Verdict) (out []Verdict) {
	for i := range list {
		v := &list[i]
		out = append(out, Verdict{
			Type: v.Type, Passed: v.Passed, Skipped: v.Skipped, Message: v.Message, Explanation: v.Explanation,
			Error: v.Error, Score: v.Score, Declared: v.Position,
		})
	}
	return out
}
