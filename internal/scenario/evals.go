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

// EvalsFor are the evals of conversations under a prompt: those of the packs, over them those of the prompt, over both
// those of the config. The prompt may be nil.
func (p *Project) EvalsFor(prompt *Prompt) []*Eval {
	list := p.PackEvals
	if prompt != nil {
		list = MergeEvals(list, prompt.Evals)
	}
	return MergeEvals(list, p.ArenaEvals)
}

// MergeEvals lays the evals of a narrower level over those of a wider one: one with the same id takes the other's
// place, the rest follow in order.
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
