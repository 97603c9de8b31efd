package resulttest

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// Traced is a run whose agent is a program with traces: in two turns with few details, and in one with many.
func Traced() *result.Run {
	order := turn("Where is my order 4711?",
		calls("call_1", "find_order", jsonvalue.Object{"number": "4711"}),
		returns("call_1", "find_order", `{"status": "shipped"}`),
		calls("call_2", "track_parcel", jsonvalue.Object{"number": "4711"}),
		breaks("call_2", "track_parcel", "the carrier does not answer"),
		agentReply("Your order has been shipped."))
	order.Trace = &chat.Trace{
		Notice: "the trace has 8 spans: 1 whose parent did not come; they are shown, and their times do not count",
		Spans: []chat.TraceSpan{
			spanOf("shop agent", "agent", 0, 0, 4200),
			asked(spanOf("chat gpt-4o-mini", "model", 1, 40, 1310), 412, 38, "I look the order up.", 0.0021),
			spanOf("find_order", "tool", 1, 1370, 95),
			spanOf("SELECT orders WHERE number = ?", "other", 2, 1380, 71),
			failedSpan(spanOf("track_parcel", "tool", 1, 1480, 1000), "the carrier does not answer"),
			failedSpan(spanOf("GET https://carrier.example/v2/"+strings.Repeat("parcels/", 20), "other", 2, 1482, 996),
				"504 Gateway Timeout"),
			asked(spanOf("chat gpt-4o-mini", "model", 1, 2520, 1640), 980, 61, "Your order has been shipped.", 0.0047),
			{Name: "a span of nobody", Kind: "other"},
		},
	}
	thanks := turn("Thank you!", agentReply("You are welcome."))
	thanks.Trace = &chat.Trace{Spans: []chat.TraceSpan{
		asked(spanOf("chat gpt-4o-mini", "model", 0, 0, 1.2), 1100, 9, "You are welcome.", 0.0012),
	}}
	crawl := turn("Read the whole shop.", agentReply("I have read it."))
	crawl.Trace = &chat.Trace{LeftOut: 7500}
	for i := range 500 {
		s := spanOf(fmt.Sprintf("fetch_page_%d", i+1), "tool", i%4, float64(i)*20, float64(10+i%90))
		crawl.Trace.Spans = append(crawl.Trace.Spans, s)
	}
	return NewRun("shop", trial("scenarios/order.yaml", 3, "order", "shop-agent", order, thanks),
		trial("scenarios/crawl.yaml", 3, "crawl", "shop-agent", crawl))
}

func spanOf(name, kind string, depth int, start, took float64) chat.TraceSpan {
	return chat.TraceSpan{Name: name, Kind: kind, Depth: depth, StartMS: &start, DurationMS: took}
}

// asked is the span of a model with what it took.
func asked(s chat.TraceSpan, in, out int, said string, usd float64) chat.TraceSpan {
	s.Model, s.Usage, s.Output, s.CostUSD = "gpt-4o-mini", &chat.Usage{InputTokens: in, OutputTokens: out}, said, &usd
	return s
}

func failedSpan(s chat.TraceSpan, why string) chat.TraceSpan {
	s.Error = why
	return s
}
