package checks

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
)

var llmJudgeSessionDef = define[llmJudgeSessionParams](Def{
	Name:     "llm_judge_session",
	Aliases:  []string{"llm_judge_conversation"},
	Summary:  "A language model grades the whole conversation, tool calls included, by criteria in words.",
	Scoring:  gradeScoring,
	Family:   FamilyJudge,
	Surfaces: OnAssertion | OnEval,
	Scope:    WholeAlways,
	Needs:    NeedsReply | NeedsModel,
	Reads:    ReadsShown,
	Prompt:   Prompt{System: llmJudgeSessionSystem},
})

const llmJudgeSessionSystem = `You are an experienced and impartial evaluator of AI assistants. You get criteria,
sometimes a rubric, and a whole conversation: the messages of user and assistant in their order, and after them the
tool calls that the assistant made, with what came back. Grade the assistant, never the user, and the conversation
as a whole: 1 means that it meets all criteria in every respect, 0 that it meets none of them, and what lies between
is in proportion to what is met and how much that matters. A mistake that the assistant mends later counts less than
one that stands. Where what the assistant says contradicts what its tools returned, the tools are right.` +
	grading.Rules

type llmJudgeSessionParams struct {
	mustCriteria
	judgeParams
}

func (p llmJudgeSessionParams) Build(b *binder) Check {
	return b.graded(&p.judgeParams, p.Criteria, func(s *Subject) ([]grading.Exhibit, error) {
		return append(messageExhibits(s.Messages), callExhibits(s.Calls)...), nil
	})
}

// messageExhibits are the messages of user and assistant.
func messageExhibits(messages []chat.Message) (exhibits []grading.Exhibit) {
	for i := range messages {
		m := &messages[i]
		if m.Role == chat.System || m.Role == chat.ToolRole {
			continue
		}
		if text := messageText(m); strings.TrimSpace(text) != "" {
			exhibits = append(exhibits, grading.Show(fmt.Sprintf("message %d (%s)", len(exhibits)+1, author(m)), text))
		}
	}
	return exhibits
}

// author names who wrote a message in arena's words: a recording may call a role anything.
func author(m *chat.Message) string {
	switch {
	case m.Role == chat.User && m.Generated != nil:
		return "user, played by a model"
	case m.Role == chat.User || m.Role == chat.Assistant:
		return string(m.Role)
	}
	return "another"
}

// messageText is the text of a message, with marks for its media.
func messageText(m *chat.Message) string {
	var b strings.Builder
	b.WriteString(m.Text())
	for _, p := range m.Parts {
		if p.Media != nil {
			fmt.Fprintf(&b, "[%s:%s]", p.Type, p.Media.MIMEType)
		}
	}
	return b.String()
}
