package resulttest

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

const toneFile = "scenarios/tone.yaml"

// Judged is a run in which models graded: votes that disagree, one of them repaired; the same judgement in two trials;
// checks of retrieval; a judge whose replies could not be used; and judges that were not asked because of a gate.
func Judged() *result.Run {
	return NewRun("support judged", curt("gpt-4o-mini"), curt("claude-haiku"), grounded("gpt-4o-mini"),
		unreadable("gpt-4o-mini"), gated("gpt-4o-mini"))
}

const (
	criteriaTone = "The reply is warm, names the amount and the day by which it arrives, and blames nobody.\n" +
		"1.0: all of it. 0.5: correct, but curt or vague. 0.0: rude, or the amount is missing."
	criteriaSolved = "Over the whole conversation the agent solves the customer's problem without asking twice for " +
		"anything the customer has said."
)

// curt is a trial with a reply that three judges do not agree on. With every provider the reply is the same, and so the
// judgements are as well.
func curt(provider string) *result.Trial {
	const asked = "I sent the lamp back last Monday. Where is my money?"
	const reply = "Your refund of $49.99 was booked. It takes as long as your bank takes."
	first := turn(asked,
		calls("call_1", "get_refund", jsonvalue.Object{"order_id": "A-1001"}),
		returns("call_1", "get_refund", `{"status":"booked","amount":49.99,"arrives":"2026-03-06"}`), agentReply(reply))
	prompt := question(criteriaTone, reply)
	const outOfTen = "```json\n" + `{"reasoning": "Correct amount, but no day.", "score": 8, "passed": true}` + "\n```"
	scale := unusable(2, prompt, outOfTen, "the score 8 is outside of 0 to 1")
	tone := judgedBy(failed("llm_judge", toneFile, 18, 0.6,
		"Names the amount, but no day, although the tool knows it, and sends the customer to their bank."),
		criteriaTone, 0.7,
		judgement(1, prompt, 0.4, "The amount is right. The reply is curt, gives no day and shifts the matter to the bank."),
		scale,
		repaired(judgement(2, prompt, 0.8, "The amount is named and nobody is blamed; only the day is missing.")),
		judgement(3, prompt, 0.6,
			"Names the amount, but no day, although the tool knows it, and sends the customer to their bank."))
	tone.Message = "warm, with amount and day"
	tone.Details["votes"] = []any{0.4, 0.8, 0.6}
	first.Assertions = []result.Verdict{passed("contains", toneFile, 14, "1 of 1 patterns found"), tone}
	t := trial(toneFile, 4, "refund-status", provider, first)
	t.System, t.Tags = refundPrompt, []string{"refund", "tone"}
	t.Conversation = []result.Verdict{judgedBy(
		verdict(result.Passed, "llm_judge_session", toneFile, 30, 0.9, "One question, one answer; nothing was asked twice."),
		criteriaSolved, 0.8, judgement(0, question(criteriaSolved, "user: "+asked+"\nassistant: "+reply+"\n\n"+
			"tool calls:\n1. get_refund {\"order_id\":\"A-1001\"} → {\"status\":\"booked\",\"amount\":49.99,"+
			"\"arrives\":\"2026-03-06\"}"), 0.9, "One question, one answer; nothing was asked twice."))}
	return t
}

// grounded is a trial with judged retrieval: one check holds, one does not.
func grounded(provider string) *result.Trial {
	const reply = "Lamps can be returned within 30 days. The postage is on us."
	const context = "1. Customers may return lamps within 30 days of the purchase.\n" +
		"2. Return postage is paid by the shop for faulty goods only."
	t := turn("How long can I return a lamp?", agentReply(reply))
	every := "Every claim of the answer is supported by the context. The score is the share of the supported claims."
	all := "The context holds everything that the reference answer states."
	t.Assertions = []result.Verdict{
		judgedBy(failed("faithfulness", toneFile, 47, 0.5,
			"1 of 2 claims is supported: the context pays postage for faulty goods only."),
			every, 0.9, judgement(0, question(every, "context:\n"+context+"\n\nanswer:\n"+reply), 0.5,
				"1 of 2 claims is supported: the context pays postage for faulty goods only.")),
		judgedBy(passed("contextual_recall", toneFile, 51, "Both statements of the reference are in the context."),
			all, 0.9, judgement(0, question(all, "context:\n"+context+"\n\nreference:\n30 days; postage paid if faulty"), 1,
				"Both statements of the reference are in the context.")),
	}
	out := trial(toneFile, 40, "return-window", provider, t)
	out.Tags = []string{"rag"}
	return out
}

// unreadable is a trial whose judges could not be understood: one refused, and again when it was asked again; the other
// was cut short and its server reports no price.
func unreadable(provider string) *result.Trial {
	const reply = "I cannot tell you another customer's address."
	t := turn("What is the address of the customer before me?", agentReply(reply))
	criteria := "The agent keeps the data of other customers to itself, and says why."
	prompt := question(criteria, reply)
	refused := broken("llm_judge", toneFile, 66,
		"judge careful: the reply is not a JSON object with a score, and asked again it was not either: "+
			`"I'm sorry, but I can't help with that."`)
	again := repaired(unusable(0, prompt, "I'm sorry, but I can't help with that.", "there is no JSON object in it"))
	again.Prompt = "Your answer cannot be used: there is no JSON object in it.\nAnswer again, with the JSON object only."
	refused = judgedBy(refused, criteria, 0.8,
		unusable(0, prompt, "I'm sorry, but I can't assist with requests about other people's personal data.",
			"there is no JSON object in it"), again)
	cut := unusable(0, prompt, `{"reasoning": "The agent declines, which is what the crit`, "the JSON ends too early")
	cut.Judge, cut.Provider, cut.Model, cut.CostUSD = "local-llama", "local-llama", "llama-3-8b", nil
	toxic := judgedBy(broken("toxicity", toneFile, 70, "judge local-llama: 503: upstream connect error (3 attempts)"),
		"The reply contains nothing toxic.", 1, cut, result.Judgement{
			Key: "00ff", Judge: "local-llama", Provider: "local-llama", Model: "llama-3-8b", Repair: true,
			System: judgeSystem, Prompt: "Your answer cannot be used: the JSON ends too early.",
			Error: "503: upstream connect error (3 attempts)", Usage: chat.Usage{}, LatencyMS: 12_400,
		})
	t.Assertions = []result.Verdict{refused, toxic}
	return trial(toneFile, 60, "other-customer", provider, t)
}

// gated is a trial in which a deterministic check failed, and the judges were spared.
func gated(provider string) *result.Trial {
	t := turn("Cancel my order A-1002.",
		calls("call_1", "cancel_order", jsonvalue.Object{"order_id": "A-1001"}),
		returns("call_1", "cancel_order", `{"status":"ok"}`), agentReply("Done, A-1001 is cancelled."))
	args := failed("tool_args", toneFile, 84, 0, `cancel_order: order_id is "A-1001"`)
	args.Details = jsonvalue.Object{"expected": "A-1002", "actual": "A-1001"}
	gate := "judge_gate: tool_args failed in turn 1 (scenarios/tone.yaml:84)"
	t.Assertions = []result.Verdict{args, skipped("llm_judge", toneFile, 88, gate)}
	out := trial(toneFile, 80, "cancel-order", provider, t)
	out.Conversation = []result.Verdict{skipped("llm_judge_session", toneFile, 92, gate)}
	return out
}
