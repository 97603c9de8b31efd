package recording

import "slices"

// Information that a source may be unable to record. Its absence then means nothing.
const (
	// Information that a format may not have. Its absence in a recording then means nothing.
	InfoGuardrails = "guardrails"  // which of them fired
	InfoToolErrors = "tool errors" // whether a call failed
)

// MissingInfo returns the information that this format has no place for.
func (f Format) MissingInfo() []string {
	switch f {
	case FormatResults, FormatJournal, FormatEventStream, FormatArenaOutput, FormatArenaTurns:
		return nil
	case FormatEventLog, FormatSession, FormatTranscript, FormatCassette, FormatChatLog, FormatTraces, FormatSpans,
		FormatShareGPT, FormatLangfuse, FormatLangSmith, FormatPromptfoo, FormatBatch, FormatOpenAI,
		FormatLiteLLM, FormatInspect:
		return []string{InfoGuardrails}
	}
	return []string{InfoGuardrails} // it is written by programs, which hand over messages
}

// Has reports whether the source records some information.
func (s *Session) Has(what string) bool { return !slices.Contains(s.MissingInfo, what) }

// setMissingInfo sets the missing information of the session. A recorded guardrail shows that its source records them.
func (b *builder) setMissingInfo() {
	s := b.session
	if s.MissingInfo == nil {
		s.MissingInfo = s.Format.MissingInfo()
	}
	fired := slices.ContainsFunc(s.Messages, func(m Message) bool { return len(m.Validations) > 0 })
	if fired {
		isGuardrails := func(info string) bool { return info == InfoGuardrails }
		s.MissingInfo = slices.DeleteFunc(slices.Clone(s.MissingInfo), isGuardrails)
	}
	if b.noErrorFlag && !s.Format.flagsErrors() {
		s.MissingInfo = append(slices.Clip(s.MissingInfo), InfoToolErrors)
	}
}

// flagsErrors reports whether a format has a field for a failed call.
func (f Format) flagsErrors() bool {
	switch f {
	case FormatResults, FormatJournal, FormatEventStream, FormatArenaOutput, FormatArenaTurns, FormatEventLog,
		FormatSession, FormatCassette, FormatTraces, FormatSpans, FormatLangfuse, FormatLangSmith, FormatInspect:
		return true
	case FormatTranscript, FormatChatLog, FormatShareGPT, FormatPromptfoo, FormatBatch, FormatOpenAI, FormatLiteLLM:
		return false
	}
	return false
}
