package resulttest

import (
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// trial starts a trial of one scenario with one provider.
func trial(file string, line int32, scenario, provider string, turns ...result.Turn) *result.Trial {
	t := &result.Trial{
		ID:           fmt.Sprintf("%s/%s/default", scenario, provider),
		Scenario:     scenario,
		Provider:     provider,
		Model:        provider + "-2026-01-15",
		Region:       "default",
		Trial:        1,
		Trials:       1,
		Position:     diag.Pos{File: file, Line: line, Col: 5},
		CostUSD:      new(0.0),
		Turns:        turns,
		Conversation: []result.Verdict{},
	}
	for i := range turns {
		add(t, i, &turns[i])
	}
	return t
}

// add numbers a turn and sums it into its trial.
func add(t *result.Trial, index int, turn *result.Turn) {
	turn.Index = index
	for i := range turn.Messages {
		m := &turn.Messages[i]
		if m.Role != chat.Assistant {
			continue
		}
		turn.LatencyMS += m.LatencyMS
		t.Usage.Calls++
		t.Usage.ToolCalls += len(m.ToolCalls)
		if m.Usage != nil {
			t.Usage.Usage = t.Usage.Usage.Add(*m.Usage)
		}
		if m.CostUSD == nil {
			t.CostUSD = nil
		} else if t.CostUSD != nil {
			*t.CostUSD += *m.CostUSD
		}
	}
	t.DurationMS += turn.LatencyMS
}

// turn is what the user says and the messages that answer it; the last one is the reply.
func turn(user string, messages ...chat.Message) result.Turn {
	t := result.Turn{
		User:       user,
		Messages:   append([]chat.Message{{Role: chat.User, Content: user}}, messages...),
		ToolCalls:  []result.ToolCall{},
		Assertions: []result.Verdict{},
	}
	for _, m := range messages {
		if r := m.ToolResult; r != nil {
			t.ToolCalls = append(t.ToolCalls, result.ToolCall{
				Name: r.Name, Args: argsOf(messages, r.ID), Result: r.Content, Error: r.Error, ErrorType: r.ErrorType,
			})
		}
		if m.Role == chat.Assistant && len(m.ToolCalls) == 0 {
			t.Assistant = m.Text()
		}
	}
	return t
}

func argsOf(messages []chat.Message, id string) jsonvalue.Object {
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			if c.ID == id {
				return c.Args
			}
		}
	}
	return nil
}

// agentReply is a reply of the agent; it takes a millisecond and a bit for each character.
func agentReply(text string) chat.Message {
	out := len(text)/4 + 1
	return chat.Message{
		Role: chat.Assistant, Content: text, FinishReason: "stop",
		Usage:     &chat.Usage{InputTokens: 180 + out, OutputTokens: out},
		CostUSD:   new(0.0000006*float64(180+out) + 0.0000024*float64(out)),
		LatencyMS: 400 + 1.25*float64(len(text)),
	}
}

// calls is a message of the agent that calls one tool.
func calls(id, tool string, args chat.Args) chat.Message {
	m := agentReply("")
	m.FinishReason = "tool_calls"
	m.ToolCalls = []chat.ToolCall{{ID: id, Name: tool, Args: args}}
	return m
}

// returns is what a tool answered.
func returns(id, tool, content string) chat.Message {
	return chat.Message{Role: chat.ToolRole, Content: content, ToolResult: &chat.ToolResult{
		ID: id, Name: tool, Content: content, LatencyMS: 42,
	}}
}

// breaks is a tool call that failed.
func breaks(id, tool, text string) chat.Message {
	return chat.Message{Role: chat.ToolRole, Content: text, ToolResult: &chat.ToolResult{
		ID: id, Name: tool, Error: text, ErrorType: chat.ErrorExecution, LatencyMS: 42,
	}}
}

// verdict is a decision on a check declared at a line of a file.
func verdict(status result.Status, typ, file string, line int32, score float64, explanation string) result.Verdict {
	return result.Verdict{
		Type: typ, Status: status, Score: new(score), Explanation: explanation,
		Position: diag.Pos{File: file, Line: line, Col: 9}, DurationMS: 0.2,
	}
}

func passed(typ, file string, line int32, explanation string) result.Verdict {
	return verdict(result.Passed, typ, file, line, 1, explanation)
}

func failed(typ, file string, line int32, score float64, explanation string) result.Verdict {
	return verdict(result.Failed, typ, file, line, score, explanation)
}

func broken(typ, file string, line int32, text string) result.Verdict {
	return result.Verdict{
		Type: typ, Status: result.Errored, Error: text, Position: diag.Pos{File: file, Line: line, Col: 9},
	}
}

func skipped(typ, file string, line int32, reason string) result.Verdict {
	return result.Verdict{
		Type: typ, Status: result.Skipped, SkipReason: reason, Position: diag.Pos{File: file, Line: line, Col: 9},
	}
}
