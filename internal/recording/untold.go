package recording

import "slices"

// What a source may not be able to say of a conversation. Its silence then means nothing.
const (
	UntoldGuardrails = "guardrails"  // which of them fired
	UntoldToolErrors = "tool errors" // whether a call failed
)

// Untold are the things that a recording of this format has no place for.
func (f Format) Untold() []string {
	switch f {
	case FormatResults, FormatJournal, FormatEventStream, FormatArenaOutput, FormatArenaTurns:
		return nil
	case FormatEventLog, FormatSession, FormatTranscript, FormatCassette, FormatChatLog, FormatTraces:
		return []string{UntoldGuardrails}
	}
	return []string{UntoldGuardrails} // of a program, which hands over messages
}

// Tells reports whether the silence of the source about something means that there was none.
func (s *Session) Tells(what string) bool { return !slices.Contains(s.Untold, what) }

// untold settles what the session leaves open. A record of a guardrail shows that its source keeps them.
func (b *builder) untold() {
	s := b.session
	if s.Untold == nil {
		s.Untold = s.Format.Untold()
	}
	fired := slices.ContainsFunc(s.Messages, func(m Message) bool { return len(m.Validations) > 0 })
	if fired {
		s.Untold = slices.DeleteFunc(slices.Clone(s.Untold), func(what string) bool { return what == UntoldGuardrails })
	}
	if b.unflagged && (s.Format == FormatChatLog || s.Format == FormatTranscript) {
		s.Untold = append(slices.Clip(s.Untold), UntoldToolErrors)
	}
}
