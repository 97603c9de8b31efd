package resulttest

import (
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

const refundFile = "scenarios/refund.yaml"

const refundPrompt = "You are the support agent of a shop that sells lamps.\n" +
	"Refunds are possible within 30 days of the purchase. Look an order up before you talk about it."

// AllPassed is two scenarios with two providers, a judge and a guardrail that fired; everything holds.
func AllPassed() *result.Run {
	return NewRun("support",
		happyPath("gpt-4o-mini"), happyPath("claude-haiku"), greeting("gpt-4o-mini"), greeting("claude-haiku"))
}

// OneFailed is a run of three trials in which one assertion fails, after a tool call that should not have been.
func OneFailed() *result.Run {
	return NewRun("support", happyPath("gpt-4o-mini"), outsideWindow("gpt-4o-mini"), greeting("gpt-4o-mini"))
}

// PartlyMocked is a run in which a mock answered in one trial and a model in the other.
func PartlyMocked() *result.Run {
	mocked := happyPath("mock")
	mocked.Simulated = true
	return NewRun("support", mocked, happyPath("gpt-4o-mini"))
}

// Errored is a run in which one trial broke in its second turn, one judge was down, and one trial was skipped. The
// price of one provider is not known.
func Errored() *result.Run {
	run := NewRun("support",
		timeout("claude-haiku"), judgeDown("local-llama"), greeting("gpt-4o-mini"), skippedTrial("gpt-4o-mini"))
	run.Warnings = []string{`provider local-llama: no price is known for model "local-llama-2026-01-15"`}
	return run
}

// Cancelled is a run of nine planned trials that was stopped: two finished, one was in flight, six never started.
func Cancelled() *result.Run {
	return Stopped("support", 9, happyPath("gpt-4o-mini"), greeting("gpt-4o-mini"), interrupted("gpt-4o-mini"))
}

// Flaky is one scenario in three groups of five trials: within its threshold, below it, and steady.
func Flaky() *result.Run {
	var trials []*result.Trial
	for _, g := range []struct {
		provider  string
		holds     string // one letter a trial: p passed, f failed
		threshold float64
	}{
		{"gpt-4o-mini", "ppfpp", 0.8},
		{"claude-haiku", "pffpf", 0.8},
		{"gpt-4o", "ppppp", 1},
	} {
		for i, c := range g.holds {
			trials = append(trials, repetition(g.provider, i+1, len(g.holds), c == 'p', g.threshold))
		}
	}
	return NewRun("support nightly", trials...)
}

func repetition(provider string, n, of int, holds bool, threshold float64) *result.Trial {
	reply := "Your order A-1001 has shipped and arrives on Thursday."
	v := passed("contains", "scenarios/status.yaml", 14, "1 of 1 patterns found")
	if !holds {
		reply = "It is on its way, no idea when it arrives."
		v = failed("contains", "scenarios/status.yaml", 14, 0, `missing "Thursday"`)
	}
	v.PassThreshold = new(threshold)
	t := turn("Where is my order A-1001?",
		calls("call_1", "get_order", jsonvalue.Object{"order_id": "A-1001"}),
		returns("call_1", "get_order", `{"status":"shipped","eta":"Thursday"}`),
		agentReply(reply))
	t.Assertions = []result.Verdict{v, passed("tools_called", "scenarios/status.yaml", 17, "called: get_order")}
	out := trial("scenarios/status.yaml", 3, "order-status", provider, t)
	out.ID = fmt.Sprintf("order-status/%s/default#%d", provider, n)
	out.Trial, out.Trials = n, of
	out.DurationMS += 35 * float64(n*n)
	return out
}

func happyPath(provider string) *result.Trial {
	first := turn("I bought a lamp last week and it does not work. The order is A-1001.",
		calls("call_1", "get_order", jsonvalue.Object{"order_id": "A-1001"}),
		returns("call_1", "get_order", `{"order_id":"A-1001","age_days":6,`+
			`"amount":49.99,"items":[{"sku":"LAMP-3","n":1}]}`),
		agentReply("I am sorry about that. Order A-1001 is 6 days old, so a refund is possible. Shall I issue it?"))
	first.Assertions = []result.Verdict{
		passed("tools_called", refundFile, 14, "called: get_order"),
		passed("contains_any", refundFile, 17, `found "refund"`),
	}
	last := agentReply("Done: $49.99 goes back to your card within 3 days.")
	last.State = "done"
	second := turn("Yes, please.",
		calls("call_2", "issue_refund", jsonvalue.Object{"order_id": "A-1001", "amount": 49.99}),
		returns("call_2", "issue_refund", `{"status":"ok"}`), last)
	second.Messages[1].State = "refunding"
	second.Assertions = []result.Verdict{passed("tool_args", refundFile, 24, "issue_refund: order_id is A-1001")}
	t := trial(refundFile, 4, "refund-happy-path", provider, first, second)
	t.System, t.Tags, t.Describe = refundPrompt, []string{"refund", "smoke"}, "a refund within the window is issued"
	t.Labels = map[string]string{"team": "support"}
	t.Conversation = []result.Verdict{polite(0.92, "Polite, short, and the amount is named."),
		skipped("llm_judge", refundFile, 33, "when: no tool named escalate was called")}
	return t
}

// polite is the verdict of one judge who was asked about the whole conversation.
func polite(score float64, reasoning string) result.Verdict {
	const criteria = "The agent is polite and names the amount."
	v := verdict(result.Passed, "llm_judge_conversation", refundFile, 28, score, reasoning)
	v.Message = "stays polite"
	return judgedBy(v, criteria, 0.8, judgement(0, question(criteria, "assistant: Done: $49.99 goes back to your card."),
		score, reasoning))
}

func outsideWindow(provider string) *result.Trial {
	first := turn("I bought a lamp.", agentReply("How can I help you with it?"))
	second := turn("I bought it 45 days ago, can I still get my money back?",
		calls("call_1", "issue_refund", jsonvalue.Object{"order_id": "A-1001", "amount": 49.99}),
		returns("call_1", "issue_refund", `{"status":"ok"}`),
		agentReply("Sure! I have issued a refund of $49.99 to your card."))
	forbidden := failed("tools_not_called", refundFile, 38, 0, "called once: issue_refund")
	forbidden.Message = "must not refund outside the window"
	forbidden.Details = jsonvalue.Object{"called": []any{"issue_refund"}, "forbidden": []any{"issue_refund"}}
	missing := failed("contains", refundFile, 41, 0.5, `missing "30 days"`)
	missing.Details = jsonvalue.Object{"found": []any{"refund"}, "missing": []any{"30 days"}}
	second.Assertions = []result.Verdict{forbidden, missing,
		passed("max_length", refundFile, 44, "52 of at most 400 characters")}
	t := trial(refundFile, 31, "refund-outside-window", provider, first, second)
	t.System, t.Tags = refundPrompt, []string{"refund", "policy"}
	return t
}

func greeting(provider string) *result.Trial {
	reply := agentReply("Hello, what can I do for you?")
	reply.Validations = []chat.Validation{{
		Type:    "banned_words",
		Details: jsonvalue.Object{"direction": "output", "action": "replaced", "value": "pal", "score": 0},
	}}
	reply.Original = &chat.Original{Content: "Hey pal, what can I do", FinishReason: "stop"}
	t := turn("hi", reply)
	t.Guardrails = []result.Firing{{
		Verdict: failed("banned_words", "prompts/support.yaml", 12, 0, `found "pal"`), Direction: "output",
		Action: result.Replaced, MessageIndex: 1, StreamClosed: true, TokensSaved: new(94),
	}}
	t.Assertions = []result.Verdict{passed("min_length", "scenarios/greeting.yaml", 9, "29 of at least 5 characters")}
	out := trial("scenarios/greeting.yaml", 2, "greeting", provider, t)
	out.Tags = []string{"smoke"}
	return out
}

func timeout(provider string) *result.Trial {
	first := turn("Where is my order?", agentReply("Which order do you mean?"))
	first.Assertions = []result.Verdict{passed("contains", "scenarios/status.yaml", 31, "1 of 1 patterns found")}
	second := turn("A-1001")
	second.Error = "provider claude-haiku: no reply in 60s (3 attempts)"
	second.Assertions = []result.Verdict{
		broken("contains", "scenarios/status.yaml", 35, "there is no reply to look at"),
	}
	third := result.Turn{
		User: "Thanks.", NotRun: "an earlier turn broke",
		Messages: []chat.Message{}, ToolCalls: []result.ToolCall{}, Assertions: []result.Verdict{{
			Type: "contains", Status: result.Cancelled, SkipReason: "the turn was not run",
			Position: diag.Pos{File: "scenarios/status.yaml", Line: 39, Col: 9},
		}},
	}
	t := trial("scenarios/status.yaml", 25, "order-status-unclear", provider, first, second, third)
	t.Error = "turn 2: " + second.Error
	t.DurationMS, t.Retries = 60000, 2
	return t
}

func judgeDown(provider string) *result.Trial {
	reply := agentReply("Please tell me more about it.")
	reply.CostUSD = nil
	t := turn("My lamp is broken.", reply)
	down := broken("llm_judge", refundFile, 61, `judge gpt-4o: 503: upstream connect error (3 attempts)`)
	down.Judgements = []result.Judgement{{
		Key: "00fe", Judge: "gpt-4o", Provider: "gpt-4o", Model: "gpt-4o-2024-11-20", System: judgeSystem,
		Prompt: question("The agent asks what is broken.", "Please tell me more about it."),
		Error:  "503: upstream connect error (3 attempts)", LatencyMS: 31_000,
	}}
	t.Assertions = []result.Verdict{
		down,
		passed("contains_any", refundFile, 64, `found "tell me more"`),
	}
	out := trial(refundFile, 55, "broken-lamp", provider, t)
	out.Notices = []string{"the model reported no token usage; it was guessed from lengths"}
	out.Usage.Estimated = true
	return out
}

func skippedTrial(provider string) *result.Trial {
	t := trial(refundFile, 70, "refund-by-phone", provider)
	t.Status, t.Skip, t.Turns = result.Skipped, "needs the voice provider", []result.Turn{}
	return t
}

func interrupted(provider string) *result.Trial {
	first := turn("I want my money back.", agentReply("Which order is it about?"))
	second := result.Turn{
		User: "A-1001", NotRun: "the run was stopped",
		Messages: []chat.Message{}, ToolCalls: []result.ToolCall{}, Assertions: []result.Verdict{{
			Type: "contains", Status: result.Cancelled, SkipReason: "the run was stopped",
			Position: diag.Pos{File: refundFile, Line: 88, Col: 9},
		}},
	}
	t := trial(refundFile, 80, "refund-impatient", provider, first, second)
	t.Status = result.Cancelled
	return t
}
