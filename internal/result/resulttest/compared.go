package resulttest

import (
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// Compared is a run of six scenarios with three providers, two trials each: replies that differ in some words, failures
// that two providers share, values that differ within an object, and a reply that a guardrail replaced.
func Compared() *result.Run {
	var trials []*result.Trial
	for s, scenario := range comparedScenarios() {
		for p, provider := range [...]string{"gpt-4o", "gpt-4o-mini", "claude-haiku"} {
			for n := range 2 {
				t := scenario.make(provider, p, n)
				t.ID = fmt.Sprintf("%s/%s/default#%d", t.Scenario, provider, n+1)
				t.Trial, t.Trials, t.Tags = n+1, 2, []string{"support"}
				t.DurationMS += float64(37*(s+1)*(n+1)) * (1 + float64(p)/2)
				trials = append(trials, t)
			}
		}
	}
	return NewRun("support, three models", trials...)
}

// Tolerated is a run of two providers: one passes both scenarios, since one of them allows failures, the other more
// trials and one scenario only.
func Tolerated() *result.Run {
	var trials []*result.Trial
	for _, c := range []struct{ provider, holds, says string }{
		{"claude-haiku", "pffp", "Paris."}, {"gpt-4o-mini", "pppp", "Rome."},
	} {
		for i, letter := range c.holds {
			trials = append(trials, repetition(c.provider, i+1, len(c.holds), letter == 'p', 0.5))
		}
		v := passed("contains", comparedFile, 9, "1 of 1 patterns found")
		if c.says != "Paris." {
			v = failed("contains", comparedFile, 9, 0, `missing "Paris"`)
		}
		turns := answered("The capital of France?", c.says, v)
		trials = append(trials, trial(comparedFile, 5, "capital", c.provider, turns...))
	}
	return NewRun("two models", trials...)
}

// Raced is a run of n trials with each of two providers, the second of which takes and costs so many times as much in
// all of them but the last, where it is even.
func Raced(n int, times float64) *result.Run {
	var trials []*result.Trial
	for p, provider := range [...]string{"gpt-4o", "gpt-4o-mini"} {
		for i := range n {
			t := answered("Where is my order?", "It has shipped.")
			if m := &t[0].Messages[1]; p == 1 && i < n-1 {
				m.LatencyMS, m.CostUSD = m.LatencyMS*times, new(*m.CostUSD*times)
			}
			one := trial(comparedFile, 5, "order", provider, t...)
			one.Trial, one.Trials, one.ID = i+1, n, fmt.Sprintf("order/%s/default#%d", provider, i+1)
			trials = append(trials, one)
		}
	}
	return NewRun("a race", trials...)
}

type comparedScenario struct {
	id    string
	line  int32
	turns func(p, n int) []result.Turn
}

func (s comparedScenario) make(provider string, p, n int) *result.Trial {
	turns := s.turns(p, n)
	for k := range turns {
		for m := range turns[k].Messages {
			message := &turns[k].Messages[m]
			message.LatencyMS *= [...]float64{1.9, 1, 0.7}[p]
			if message.CostUSD != nil {
				message.CostUSD = new(*message.CostUSD * [...]float64{16, 1, 2.5}[p])
			}
		}
	}
	t := trial(comparedFile, s.line, s.id, provider, turns...)
	t.System = refundPrompt
	return t
}

const comparedFile = "scenarios/support.yaml"

func comparedScenarios() []comparedScenario {
	return []comparedScenario{
		{"refund-window", 4, refundWindow}, {"order-status", 24, orderStatus}, {"address-change", 41, addressChange},
		{"ticket-as-json", 60, ticket}, {"rude-customer", 82, rude}, {"opening-hours", 97, openingHours},
	}
}

func answered(user, reply string, verdicts ...result.Verdict) []result.Turn {
	t := turn(user, agentReply(reply))
	t.Assertions = verdicts
	return []result.Turn{t}
}

func refundWindow(p, n int) []result.Turn {
	reply := [...]string{
		"I am sorry, a refund is possible within 30 days of the purchase only. Your order is 45 days old.",
		"Sure! I have issued a refund of $49.99 to your card. It arrives within 3 days.",
		"Sure! I have issued a refund of $49.99 to your card. It arrives within a week.",
	}[p]
	contains := passed("contains", comparedFile, 14, "1 of 1 patterns found")
	forbidden := passed("tools_not_called", comparedFile, 10, "not called: issue_refund")
	if p > 0 {
		contains = failed("contains", comparedFile, 14, 0, `missing "30 days"`)
		contains.Details = jsonvalue.Object{"found": []any{}, "missing": []any{"30 days"}, "note": `missing "30 days"`}
		forbidden = failed("tools_not_called", comparedFile, 10, 0, "called once: issue_refund")
		forbidden.Details = jsonvalue.Object{"called": []any{"issue_refund"}, "forbidden": []any{"issue_refund"}}
	}
	forbidden.Message = "must not refund outside the window"
	first := turn("I bought a lamp.", agentReply("Which order is it about?"))
	second := turn("A-1001. I bought it 45 days ago, can I still get my money back?", agentReply(reply))
	if p > 0 {
		args := jsonvalue.Object{"order_id": "A-1001", "amount": 49.99}
		second = turn(second.User, calls("call_1", "issue_refund", args),
			returns("call_1", "issue_refund", `{"status":"ok"}`), agentReply(reply))
	}
	second.Assertions = []result.Verdict{forbidden, contains}
	return []result.Turn{first, second}
}

func orderStatus(p, n int) []result.Turn {
	day := [...]string{"Thursday", "Thursday", "Friday"}[p]
	v := passed("contains", comparedFile, 33, `found "Thursday"`)
	if p == 2 && n == 1 {
		v = failed("contains", comparedFile, 33, 0, `missing "Thursday"`)
	} else {
		day = "Thursday"
	}
	return answered("Where is my order A-1001?",
		[...]string{"Your order A-1001 has shipped and arrives on ", "Order A-1001 has shipped. It arrives on ",
			"Your order A-1001 has been shipped and will arrive on "}[p]+day+".", v)
}

func addressChange(p, _ int) []result.Turn {
	want := map[string]any{"order_id": "A-1001", "address": map[string]any{"street": "Main Street 1", "zip": "10115"}}
	got := map[string]any{"order_id": "A-1001", "address": map[string]any{"street": "Main Street 1", "zip": "10115"}}
	v := passed("tool_calls_with_args", comparedFile, 50, "change_address was called with these arguments")
	if p == 1 {
		got = map[string]any{"order_id": "A-1001", "address": map[string]any{"street": "Main St. 1"}, "notify": true}
		v = failed("tool_calls_with_args", comparedFile, 50, 0, "no call of change_address has these arguments")
		v.Details = jsonvalue.Object{"tool": "change_address", "expected": want, "actual": got}
	}
	v.Message = "passes the address on as it was given"
	t := turn("Please send A-1001 to Main Street 1, 10115 instead.",
		calls("call_1", "change_address", got), returns("call_1", "change_address", `{"status":"ok"}`),
		agentReply("Done, A-1001 goes to your new address."))
	t.Assertions = []result.Verdict{v}
	return []result.Turn{t}
}

func ticket(p, _ int) []result.Turn {
	const want = `{"kind":"complaint","priority":2,"summary":"The lamp is broken"}`
	reply := [...]string{want, `{"kind":"question","priority":2,"summary":"The lamp does not work"}`, want}[p]
	v := passed("equals", comparedFile, 70, "equal")
	if reply != want {
		v = failed("equals", comparedFile, 70, 0, "the reply differs at character 10")
		v.Details = jsonvalue.Object{"expected": want, "content": reply}
	}
	return answered("Write a ticket: my lamp is broken.", reply, v)
}

func rude(p, _ int) []result.Turn {
	reply := agentReply("I understand that you are upset. Let us sort this out together.")
	if p == 0 {
		reply.Original = &chat.Original{Content: "Calm down, pal. Let us sort this out together.", FinishReason: "stop"}
		reply.FinishReason = "content_filter"
		reply.Validations = []chat.Validation{{
			Type:    "banned_words",
			Details: jsonvalue.Object{"direction": "output", "action": "replaced", "value": "pal", "score": 0},
		}}
	}
	t := turn("This is a joke, isn't it?", reply)
	if p == 0 {
		t.Guardrails = []result.Firing{{
			Verdict: failed("banned_words", "prompts/support.yaml", 12, 0, `found "pal"`), Direction: "output",
			Action: result.Replaced, MessageIndex: 1,
		}}
	}
	t.Assertions = []result.Verdict{passed("min_length", comparedFile, 90, "63 of at least 5 characters")}
	return []result.Turn{t}
}

func openingHours(p, n int) []result.Turn {
	return answered("When are you open?",
		fmt.Sprintf("We are open from 9 to %d, Monday to %s.", 17+n, [...]string{"Friday", "Friday", "Saturday"}[p]),
		passed("contains", comparedFile, 104, `found "9"`))
}
