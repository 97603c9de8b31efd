package resulttest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// Big is a run of n trials: as many scenarios as it takes with four providers, most of them passed. The trials are
// made up when they are read.
func Big(n int) *result.Run {
	return fold("regression", n, Generated{Len: n, Make: func(i int) *result.Trial { return bigTrial(i) }})
}

var bigAreas = [...]string{"refund", "shipping", "account", "invoice", "warranty", "returns", "voucher", "newsletter"}

// mix is a deterministic scatter of i; the same i and salt give the same number.
func mix(i, salt int) int {
	x := uint64(i)*0x9E3779B97F4A7C15 + uint64(salt)*0xD1B54A32D192ED03
	x ^= x >> 31
	x *= 0x94D049BB133111EB
	x ^= x >> 29
	return int(x >> 33)
}

func bigTrial(i int) *result.Trial {
	providers := [...]string{"gpt-4o", "gpt-4o-mini", "claude-haiku", "llama-3-70b"}
	p, s := i%len(providers), i/len(providers)
	area := bigAreas[s%len(bigAreas)]
	file := fmt.Sprintf("scenarios/%s.yaml", area)
	line := int32(4 + s/len(bigAreas)*17)

	turns := make([]result.Turn, 1+mix(s, 1)%4)
	for k := range turns {
		turns[k] = bigTurn(i, s, k, file, line)
		for m := range turns[k].Messages {
			message := &turns[k].Messages[m]
			message.LatencyMS *= 0.6 + 0.5*float64(p) + float64(mix(i, 20+k)%1000)/700
			if p == 3 {
				message.CostUSD = nil // a local model
			} else if message.CostUSD != nil {
				*message.CostUSD *= [...]float64{16, 1, 2.5}[p]
			}
		}
	}
	t := trial(file, line, fmt.Sprintf("%s-%04d", area, s), providers[p], turns...)
	t.Index, t.Tags, t.System = i, []string{area, [...]string{"smoke", "full"}[s%2]}, refundPrompt
	if mix(i, 2)%61 == 0 {
		t.Error = "turn 1: provider " + providers[p] + ": 529: overloaded (5 attempts)"
	}
	t.Settle()
	return t
}

func bigTurn(i, s, k int, file string, line int32) result.Turn {
	order := fmt.Sprintf("B-%06d", mix(s, 3)%1_000_000)
	id := fmt.Sprintf("call_%d_%d", i, k)
	customer := jsonNumber(fmt.Sprint(9007199254740993 + i)) // more digits than a float holds
	t := turn(
		fmt.Sprintf("Question %d about my order %s: can you tell me where it is, please?", k+1, order),
		calls(id, "get_order", jsonvalue.Object{"order_id": order, "customer": customer}),
		returns(id, "get_order", fmt.Sprintf(`{"order_id":%q,"status":"shipped","eta_days":%d}`, order, mix(i, 4)%9)),
		agentReply(fmt.Sprintf("Order %s has shipped. %s", order,
			strings.Repeat("It left our warehouse and is with the carrier now. ", 1+mix(i, 5+k)%6))),
	)
	t.Assertions = []result.Verdict{
		passed("tools_called", file, line+5, "called: get_order"),
		passed("contains", file, line+8, "2 of 2 patterns found"),
		passed("max_length", file, line+11, "within 800 characters"),
	}
	switch mix(i, 6+k) % 37 {
	case 0:
		t.Assertions[1] = failed("contains", file, line+8, 0.5, `missing "days"`)
	case 1:
		t.Assertions[0] = failed("tools_called", file, line+5, 0, "not called: get_invoice")
	case 2:
		t.Assertions[2] = skipped("max_length", file, line+11, "when: no tool was called")
	}
	return t
}

func jsonNumber(text string) json.Number { return json.Number(text) }
