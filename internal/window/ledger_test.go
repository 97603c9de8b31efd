package window

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	media := func(mime, data string) []chat.Part {
		return []chat.Part{{Type: "x", Media: &chat.Media{MIMEType: mime, Data: base64.StdEncoding.EncodeToString([]byte(data))}}}
	}
	for _, c := range []struct {
		name string
		m    chat.Message
		want int
	}{
		{"Latin", chat.Message{Content: "12345678"}, 6},
		{"a part of four bytes", chat.Message{Content: "123456789"}, 7},
		{"Chinese", chat.Message{Content: "你好世界"}, 8},
		{"both", chat.Message{Content: "abcd你好"}, 7},
		{"Korean and kana", chat.Message{Content: "한국かな"}, 8},
		{"Cyrillic", chat.Message{Content: "привет"}, 7},
		{"a call", chat.Message{ToolCalls: []chat.ToolCall{{Name: "look", Args: chat.Args{"id": "A"}}}}, 4 + 1 + 3},
		{"a result", chat.Message{ToolResult: &chat.ToolResult{Content: "12345678"}}, 6},
		{"a result with media", chat.Message{ToolResult: &chat.ToolResult{Parts: media("image/png", "x")}}, 1004},
		{"an image and a text", chat.Message{Parts: append(media("image/png", "x"), chat.Part{Type: "text", Text: "1234"})}, 1005},
		{"a document", chat.Message{Parts: media("application/pdf", "/Type /Pages /Type /Page /Type/Page\n")}, 3004},
		{"one that is packed", chat.Message{Parts: media("application/pdf", "x")}, 1504},
	} {
		if got := Estimate(&c.m); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// counted is a reply to a call of so many tokens, of which it has some itself.
func counted(in, out int) chat.Message {
	return chat.Message{Role: chat.Assistant, Content: "Yes.", Usage: &chat.Usage{InputTokens: in, OutputTokens: out}}
}

// TestLedger: what the provider counted is what the messages take together, whatever the estimate was.
func TestLedger(t *testing.T) {
	t.Parallel()
	for name, tools := range map[string]int{"alone": 0, "with tools": 3} {
		var l Ledger
		beside := Overhead{System: 0, Tools: tools}
		user := func(n int) chat.Message { return chat.Message{Role: chat.User, Content: strings.Repeat("word", n)} }
		log := []chat.Message{{Role: chat.System, Content: "Be brief."}, user(10)}
		l.Take(log)
		l.Sent([]Span{{0, 2}}, 0, beside)
		log = append(log, counted(100, 7), user(20), user(5))
		items := l.Take(log)
		if tools == 0 && l.System(0)+items[1].Tokens != 100 {
			t.Errorf("%s: %d and %d are not the 100 that were counted", name, l.System(0), items[1].Tokens)
		}
		if items[2].Tokens != 7 || !items[2].Counted {
			t.Errorf("%s: the reply takes %d", name, items[2].Tokens)
		}
		l.Sent([]Span{{0, 5}}, 0, beside)
		log = append(log, counted(100+7+33, 4))
		if items = l.Take(log); items[3].Tokens+items[4].Tokens != 33 || items[3].Tokens <= items[4].Tokens {
			t.Errorf("%s: %d and %d are not the 33 that came in between", name, items[3].Tokens, items[4].Tokens)
		}
		// The first question and its reply are left out.
		log = append(log, user(8))
		items = l.Take(log)
		first := items[1].Tokens + items[2].Tokens
		l.Sent([]Span{{3, 7}}, 0, beside)
		log = append(log, counted(100+7+33+4+12-first, 4))
		if items = l.Take(log); items[6].Tokens != 12 {
			t.Errorf("%s: the last question takes %d, not 12", name, items[6].Tokens)
		}
	}
}

// TestLedgerDoubts: counts that cannot be right change nothing but the sum.
func TestLedgerDoubts(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]chat.Message{
		"no usage":  {Role: chat.Assistant, Content: "12345678"},
		"estimated": {Role: chat.Assistant, Content: "12345678", Usage: &chat.Usage{InputTokens: 9, OutputTokens: 9, Estimated: true}},
		"zero":      {Role: chat.Assistant, Content: "12345678", Usage: &chat.Usage{}},
		"too many":  {Role: chat.Assistant, Content: "12345678", Usage: &chat.Usage{InputTokens: 1 << 40, OutputTokens: 9}},
	} {
		var l Ledger
		log := []chat.Message{{Role: chat.User, Content: "1234"}}
		l.Take(log)
		l.Sent([]Span{{0, 1}}, 0, Overhead{System: NoSystem})
		if items := l.Take(append(log, reply)); items[0].Tokens != 5 || items[1].Tokens != 6 || items[0].Counted {
			t.Errorf("%s: %+v", name, items)
		}
	}
}

func BenchmarkOldest(b *testing.B) {
	list := make([]Item, 1000)
	for i := range list {
		list[i] = Item{Tokens: 50, Kind: Kind(1 - i%2)}
	}
	b.ReportAllocs()
	for b.Loop() {
		Oldest(list, 25_000)
	}
}
