package resulttest

import (
	"encoding/json"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// Epoch is when the runs of the events begin.
var Epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Events is a run of one trial with every kind of event.
func Events() []result.Event { return stream(func(text string) string { return text }) }

// HostileEvents is the same run, in which every text comes from an enemy.
func HostileEvents() []result.Event { return stream(func(string) string { return Poison }) }

// stream makes the run, with its texts as say has them.
func stream(say func(string) string) []result.Event {
	at := func(ms, turn int) result.At {
		return result.At{
			Time: Epoch.Add(time.Duration(ms) * time.Millisecond), Turn: turn,
			Trial: say("refund/gpt-4o/default"), Scenario: say("refund"), Provider: say("gpt-4o"),
		}
	}
	all := []result.Event{
		result.RunStarted{
			At: result.At{Time: Epoch, Turn: result.NoTurn}, Arena: "v1.2.3", Name: say("shop"), Planned: 1,
		},
		result.TrialStarted{
			At: at(1, result.NoTurn), ID: say("refund/gpt-4o/default"), Type: say("openai"), Model: say("gpt-4o-2024"),
			Region: "default", Number: 1, Of: 2, Variant: map[string]string{"tone": say("rude")}, Tags: []string{say("smoke")},
			Position: diag.Pos{File: say("scenarios/refund.yaml"), Line: 3, Col: 1},
		},
		result.MessageCreatedOf(&chat.Message{Role: chat.System, Content: say("Be kind.")}, at(1, result.NoTurn), 0),
		result.TurnStarted{At: at(2, 0), User: say("Where is my teapot?")},
		result.MessageCreatedOf(&chat.Message{
			Role: chat.User, Content: say("Where is my teapot?"),
			Parts: []chat.Part{{Type: "image", Media: &chat.Media{MIMEType: say("image/png"), URL: say("https://x/teapot.png")}}},
		}, at(2, 0), 1),
	}
	all = append(all, called(say, at)...)
	all = append(all, result.StateChanged{
		At: at(141, 0), From: say("intake"), To: say("desk"), Event: say("Known"), Redirected: say("triage"),
	})
	step := at(142, 0)
	step.Step = say("classify")
	all = append(all, result.StepStarted{
		At: step, Name: "prompt", Within: say("both"), Prompt: say("classify"), Tool: say("get_order"),
	}, result.StepCompleted{
		At: step, Name: "prompt", Within: say("both"), Attempts: 2, Output: say("refund"), Target: say("reply"),
		Status: result.ParallelComplete, Error: say("the model is asleep"), Usage: &result.Tokens{Input: 12, Output: 3},
		CostUSD: new(0.0002), LatencyMS: 7,
	})
	all = append(all, failing(say, at)...)
	return append(all, ends(say, at)...)
}

// called is a model call that ends in a tool call.
func called(say func(string) string, at func(ms, turn int) result.At) []result.Event {
	call := result.Call{Number: 1, Provider: say("gpt-4o"), Type: say("openai"), Model: say("gpt-4o-2024")}
	tool := chat.ToolCall{
		ID: say("call_1"), Name: say("get_order"),
		Args:   chat.Args{"id": say("A-1001"), "n": json.Number("12345678901234567890")},
		Opaque: opaque(),
	}
	broken := chat.ToolCall{ID: say("call_2"), Name: say("get_order"), BadArgs: say("id=")}
	request := &chat.Request{
		Messages: []chat.Message{
			{Role: chat.System, Content: say("Be kind.")}, {Role: chat.User, Content: say("Where is my teapot?")},
		},
		Temperature: new(0.5), MaxTokens: new(200), Seed: new(int64(7)), TopP: new(0.9), Stream: true,
		Tools: []chat.Tool{{
			Name: say("get_order"), Description: say("Finds the teapot."), Schema: json.RawMessage(`{"type":"object"}`),
		}},
	}
	answer := &chat.Reply{
		ID:        say("chatcmpl-1"),
		ToolCalls: []chat.ToolCall{tool, broken}, FinishReason: say("tool_calls"), Model: say("gpt-4o-2024-08-06"),
		Usage: chat.Usage{InputTokens: 20, OutputTokens: 5, CachedTokens: 10}, CostUSD: new(0.0001), LatencyMS: 100,
		Retries: 1, Opaque: opaque(),
	}
	reply := answer.Message()
	result1 := chat.ToolResult{
		ID: say("call_1"), Name: say("get_order"), Content: say(`{"status": "sent"}`), LatencyMS: 30,
	}
	result2 := chat.ToolResult{
		ID: say("call_2"), Name: say("get_order"), Error: say("no arguments"), ErrorType: chat.ErrorValidation,
	}
	return []result.Event{
		result.CallStarted{
			At: at(3, 0), Call: call, Messages: 2, Tools: 1, Stream: true, Temperature: request.Temperature,
			TopP: request.TopP, MaxTokens: request.MaxTokens, Seed: request.Seed, Request: request,
			Host: say("models.example"), Port: 8443,
		},
		result.CallCompleted{
			At: at(103, 0), Call: call, ResponseModel: answer.Model, FinishReason: answer.FinishReason, ToolCalls: 2,
			Usage: result.TokensOf(answer.Usage), CostUSD: answer.CostUSD, LatencyMS: 100, Retries: 1, Answer: answer,
		},
		result.MessageCreatedOf(&reply, at(103, 0), 2),
		result.ToolStarted{At: at(103, 0), Number: 2, ID: tool.ID, Name: tool.Name, Args: tool.Args},
		result.ToolStarted{At: at(103, 0), Number: 3, ID: broken.ID, Name: broken.Name, BadArgs: broken.BadArgs},
		result.ToolCompleted{
			At: at(140, 0), Number: 2, ID: tool.ID, Name: tool.Name, Result: result1.Content, LatencyMS: 30,
		},
		result.MessageCreatedOf(&chat.Message{Role: chat.ToolRole, ToolResult: &result1}, at(140, 0), 3),
		result.ToolCompleted{
			At: at(140, 0), Number: 3, ID: broken.ID, Name: broken.Name, Error: result2.Error, ErrorType: result2.ErrorType,
		},
		result.MessageCreatedOf(&chat.Message{Role: chat.ToolRole, ToolResult: &result2}, at(140, 0), 4),
	}
}

// failing is a model call that fails, and one of a judge.
func failing(say func(string) string, at func(ms, turn int) result.At) []result.Event {
	call := result.Call{Number: 4, Provider: say("gpt-4o"), Type: say("openai"), Model: say("gpt-4o-2024")}
	judge := result.Call{
		Number: 5, Provider: say("claude"), Type: say("anthropic"), Model: say("claude-x"), Judge: say("strict"),
	}
	question := &chat.Request{
		Messages: []chat.Message{{Role: chat.User, Content: say("How good is this?")}}, Temperature: new(0.0),
	}
	answer := &chat.Reply{
		Content: say(`{"score": 1}`), FinishReason: "stop", LatencyMS: 50,
		Usage: chat.Usage{InputTokens: 3, OutputTokens: 4, Estimated: true},
	}
	return []result.Event{
		result.CallStarted{At: at(141, 0), Call: call, Reply: 1, Messages: 5, Tools: 1, Request: &chat.Request{}},
		result.CallFailed{
			At: at(200, 0), Call: call, Error: say("provider gpt-4o: too many requests"), ErrorKind: "rate_limit",
			Status: 429, Attempts: 4, LatencyMS: 59,
		},
		result.CallStarted{
			At: at(200, 0), Call: judge, Messages: 1, Temperature: question.Temperature, Request: question,
		},
		result.CallCompleted{
			At: at(250, 0), Call: judge, FinishReason: "stop", Usage: result.TokensOf(answer.Usage), LatencyMS: 50,
			Answer: answer,
		},
	}
}

// ends is what was found, and the ends of everything.
func ends(say func(string) string, at func(ms, turn int) result.At) []result.Event {
	pos := diag.Pos{File: say("scenarios/refund.yaml"), Line: 9, Col: 7}
	verdict := failed(say("contains"), pos.File, pos.Line, 0.5, say("missing \"30 days\""))
	verdict.Message, verdict.MinScore, verdict.DurationMS = say("names the terms"), new(0.8), 0.25
	trial := &result.Trial{
		ID: say("refund/gpt-4o/default"), Status: result.Failed, Error: say("turn 1: it broke"), DurationMS: 260,
		Turns:   []result.Turn{{}, {Index: 1, NotRun: "turn 1 did not end"}},
		Usage:   result.Usage{Usage: chat.Usage{InputTokens: 20, OutputTokens: 5}, Calls: 1, ToolCalls: 2},
		CostUSD: new(0.0001), Retries: 1,
	}
	run := &result.Run{
		Status: result.Failed, DurationMS: 300,
		Summary: result.Summary{Counts: result.Counts{Trials: 1, Failed: 1}, Usage: trial.Usage, CostUSD: trial.CostUSD},
	}
	return []result.Event{
		result.ValidationFailedOf(&result.Firing{
			Verdict: verdict, Direction: "output", Action: result.Cut, StreamClosed: true, TokensSaved: new(40),
			MonitorOnly: true,
		}, at(250, 0), 5),
		result.EvalEvent(&result.EvalResult{
			ID: say("tone"), Type: say("llm_judge"), Trigger: "every_turn", Score: new(1.0), MetricValue: new(3.5),
			Explanation: say("friendly"), Position: pos, DurationMS: 50, Status: result.Passed, MinScore: new(0.5),
		}, at(250, 0)),
		result.EvalEvent(&result.EvalResult{
			ID: say("length"), Type: say("max_length"), Trigger: "every_turn", Error: say("nothing to look at"), Position: pos,
		}, at(250, 0)),
		result.VerdictGivenOf(&verdict, at(250, 0), 0),
		result.TurnCompleted{At: at(250, 0), LatencyMS: 198, ToolCalls: 2, Error: say("provider gpt-4o: too many requests")},
		result.VerdictGivenOf(&result.Verdict{
			Type: say("tools_called"), Check: say("tools_called"), Status: result.Cancelled,
			SkipReason: say("not evaluated: turn 1 did not end"), Error: say("nothing"), Position: pos,
		}, at(260, result.NoTurn), 0),
		result.TrialDone{At: at(260, result.NoTurn), Trial: trial},
		result.GroupCompleted{
			At: result.At{
				Time: Epoch.Add(300 * time.Millisecond), Turn: result.NoTurn, Scenario: say("returns"), Provider: say("gpt-4o"),
			},
			File: say("scenarios/returns.yaml"), Region: say("default"), Status: result.Undecided, Allowed: true,
			Reason: result.ReasonMax, Rule: result.RuleGate, PassRate: 0.9, Tolerance: 0.1, Confidence: 0.95, Max: 50,
			Counted: 50, Passed: 42, Failed: 7, Broken: 1, Replaced: 1, Beyond: 2, Low: 0.71, High: 0.94, NotNeeded: 1,
		},
		result.RunCompletedOf(run, result.At{Time: Epoch.Add(300 * time.Millisecond), Turn: result.NoTurn}, true),
	}
}
