package scenario

// The triggers of evals.
const (
	TriggerEveryTurn            = "every_turn"
	TriggerSessionComplete      = "on_session_complete"
	TriggerSampleTurns          = "sample_turns"
	TriggerSampleSessions       = "sample_sessions"
	TriggerConversationComplete = "on_conversation_complete"
	TriggerWorkflowStep         = "on_workflow_step"
)

// EvalsFor returns the evals of conversations under a prompt. Those of the prompt replace those of packs with the same
// id; those of the config replace both. prompt may be nil.
func (p *Project) EvalsFor(prompt *Prompt) []*Eval {
	list := p.PackEvals
	if prompt != nil {
		list = MergeEvals(list, prompt.Evals)
	}
	return MergeEvals(list, p.ArenaEvals)
}

// MergeEvals adds the evals of a narrower level to those of a wider one. An eval with the same id replaces the other;
// the rest follow in order.
func MergeEvals(wide, narrow []*Eval) []*Eval {
	if len(narrow) == 0 {
		return wide
	}
	merged := append([]*Eval(nil), wide...)
	at := make(map[string]int, len(wide))
	for i, e := range wide {
		at[e.ID] = i
	}
	for _, e := range narrow {
		if i, ok := at[e.ID]; ok {
			merged[i] = e
			continue
		}
		merged = append(merged, e)
	}
	return merged
}
