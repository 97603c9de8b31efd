package providertest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
)

// finishes tests the meaning of the API's finish reasons.
func (d Dialect) finishes(t *testing.T, stream bool) {
	for word, meaning := range d.Finishes {
		t.Run("finish "+word, func(t *testing.T) {
			t.Parallel()
			reply, err := d.Open(t, Script{Text: "It shipped.", Word: word}).Complete(t.Context(), Request(stream), nil)
			switch {
			case meaning == "" && (err == nil || !strings.Contains(err.Error(), word)):
				t.Errorf("got %+v and %v, want an error that names %s", reply, err, word)
			case meaning != "" && (err != nil || reply.FinishReason != meaning || reply.Content != "It shipped."):
				t.Errorf("got %q (%s) and %v, want %s", reply.Content, reply.FinishReason, err, meaning)
			}
		})
	}
}

// Answered is a conversation in which the tools that a reply calls have answered. Each result has a text of its own.
func Answered(stream bool, reply *chat.Reply) *chat.Request {
	req := Request(stream)
	req.Messages = append(req.Messages, reply.Message())
	for i, call := range reply.ToolCalls {
		req.Messages = append(req.Messages, chat.Message{Role: chat.ToolRole, ToolResult: &chat.ToolResult{
			ID: call.ID, Name: call.Name, Content: resultText(i),
		}})
	}
	return req
}

func resultText(i int) string { return "result " + string(rune('A'+i)) }

// rounds tests that replies, calls, results and opaque state are sent back to the model unchanged, and that no other
// provider gets the state.
func (d Dialect) rounds(t *testing.T, stream bool) {
	if d.API == nil {
		return
	}
	const thought = `EqQB+/=<&>"\é☃`
	calls := []Call{
		{"a1", "get_order", `{"id":"A-1001"}`}, {"b2", "get_order", `{"id":"B-2002"}`}, {"c3", "get_order", `{}`},
	}
	for name, script := range map[string]Script{
		"calls": {Calls: calls}, "a text and calls": {Text: "One moment.", Calls: calls}, "a text": {Text: "It shipped."},
	} {
		t.Run("a round after "+name, func(t *testing.T) {
			t.Parallel()
			var log bodies
			if script.Sees = log.add; d.Thinks {
				script.Thought = thought
			}
			p := d.Open(t, script)
			ask := func(req *chat.Request) *chat.Reply {
				reply, err := p.Complete(t.Context(), req, nil)
				if err != nil {
					t.Fatal(err)
				}
				return &reply
			}
			first := ask(Request(stream))
			if first.Content != script.Text || len(first.ToolCalls) != len(script.Calls) {
				t.Fatalf("got %+v", first)
			}
			before, err := json.Marshal(first)
			if err != nil {
				t.Fatal(err)
			}
			ask(Answered(stream, first))
			last := log.last()
			if texts := textsOf(t, last); d.Thinks && !slices.Contains(texts, thought) {
				t.Errorf("the thought does not go back: %q", texts)
			}
			d.goesBack(t, last, script)
			ask(Answered(stream, elsewhere(first)))
			if texts := textsOf(t, log.last()); slices.Contains(texts, thought) {
				t.Errorf("another provider gets the thought: %q", texts)
			}
			d.goesBack(t, log.last(), script)
			if after, err := json.Marshal(first); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the reply was changed: %v %s", err, cmp.Diff(string(before), string(after)))
			}
		})
	}
}

// goesBack tests that a request has the text of the reply before, its calls and all results, in their order.
func (d Dialect) goesBack(t *testing.T, body []byte, script Script) {
	t.Helper()
	var want []string
	if script.Text != "" {
		want = append(want, script.Text)
	}
	for i := range script.Calls {
		want = append(want, resultText(i))
	}
	var got []string
	for _, text := range textsOf(t, body) {
		if slices.Contains(want, text) {
			got = append(got, text)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what goes back (-want +got):\n%s", diff)
	}
}

// elsewhere is a reply that another provider made.
func elsewhere(reply *chat.Reply) *chat.Reply {
	out := *reply
	from := func(o *chat.Opaque) *chat.Opaque {
		if o == nil {
			return nil
		}
		return &chat.Opaque{From: "another", Data: o.Data}
	}
	out.Opaque, out.ToolCalls = from(out.Opaque), slices.Clone(out.ToolCalls)
	for i := range out.ToolCalls {
		out.ToolCalls[i].Opaque = from(out.ToolCalls[i].Opaque)
	}
	return &out
}

// bodies are requests that a server saw.
type bodies struct {
	mu   sync.Mutex
	list [][]byte
}

func (b *bodies) add(body []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, body)
}

func (b *bodies) last() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.list) == 0 {
		return nil
	}
	return b.list[len(b.list)-1]
}

// textsOf are the texts in a JSON document, in their order.
func textsOf(t *testing.T, data []byte) (texts []string) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := dec.Token()
		if token == nil && err != nil {
			return texts
		}
		if text, ok := token.(string); ok {
			texts = append(texts, text)
		}
	}
}

// cuts tests that a stream which ends before its reply does is an error, wherever it is cut: never a short reply.
func (d Dialect) cuts(t *testing.T) {
	for name, script := range map[string]Script{
		"text":  {Text: "It shipped on Monday, by rail.", Usage: chat.Usage{InputTokens: 21, OutputTokens: 8}},
		"calls": {Text: "One moment.", Calls: []Call{{"a1", "get_order", `{"id":"A-1001"}`}, {"b2", "get_order", `{}`}}},
	} {
		t.Run("cut within "+name, func(t *testing.T) {
			t.Parallel()
			whole, err := d.Open(t, script).Complete(t.Context(), Request(true), nil)
			if err != nil {
				t.Fatal(err)
			}
			size := len(d.API.written(script))
			for cut := 1; cut < size; cut += max(size/80, 1) {
				for _, reset := range []bool{false, true} {
					script.Cut, script.Reset = cut, reset
					reply, err := d.Open(t, script).Complete(t.Context(), Request(true), nil)
					if err == nil && !sameWords(&whole, &reply) {
						t.Errorf("after %d of %d bytes: %+v", cut, size, reply)
					}
				}
			}
		})
	}
}

// sameWords reports whether two replies have the same content. Their usage may differ.
func sameWords(a, b *chat.Reply) bool {
	return a.Content == b.Content && a.FinishReason == b.FinishReason && cmp.Equal(a.ToolCalls, b.ToolCalls) &&
		cmp.Equal(a.Opaque, b.Opaque)
}
