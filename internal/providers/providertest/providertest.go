// Package providertest holds the tests that every provider must pass: the contract of providers.Provider. A provider's
// own test supplies a Dialect; one over HTTP uses Serve for its server.
package providertest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
)

// ID is the id that a dialect gives to its provider.
const ID = "under-test"

// Secret is the key that a dialect configures, where its provider takes one. Servers echo it in every error; it must
// not come out again.
const Secret = "sk-test-0123456789abcdef"

// Script says what the model behind a provider does.
type Script struct {
	Text   string
	Calls  []Call
	Usage  chat.Usage
	Finish string // "": stop, or tool_calls with calls
	// Word is the API's finish reason, instead of the one for Finish.
	Word string
	// Thought is state that the model wants back with the reply, for APIs that have some: of the first of its calls, or of
	// the message where it has none.
	Thought string
	Fault   Fault
	// Cut is after how many bytes of its stream the server is gone: in order, or with a reset; 0: it ends its reply.
	Cut   int
	Reset bool
	// Alter changes a body before it is sent, nil: not; Short is the number of its promised bytes that are not sent.
	Alter func(body string) string
	Short int
	// Sees gets the body of each request; nil: not needed.
	Sees func(body []byte)
	// Patient says that the provider must not give up before the test does, whatever the fault is.
	Patient bool
}

// Call is a tool call that the model makes. Args is JSON text.
type Call struct{ ID, Name, Args string }

// Dialect is one provider together with a model that follows scripts.
type Dialect struct {
	Open   func(t *testing.T, s Script) providers.Provider
	Faults []Fault // those that the model can act out
	API    *API    // of a provider over HTTP: its streams are cut wherever they can be
	Thinks bool    // it has opaque state; see Script.Thought
	Reply  string  // the server's id of every reply; "": none
	// Finishes is what each of the API's own words for the end of a reply means. A word that means nothing is one for a
	// reply that broke off.
	Finishes map[string]string
}

// modes are the two ways to ask.
var modes = []struct {
	name   string
	stream bool
}{{"whole", false}, {"streamed", true}}

// Run tests a dialect.
func Run(t *testing.T, d Dialect) {
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			d.replies(t, mode.stream)
			d.behaviour(t, mode.stream)
			d.faults(t, mode.stream)
			d.finishes(t, mode.stream)
			d.rounds(t, mode.stream)
			d.spent(t, mode.stream)
			if mode.stream && d.API != nil {
				d.cuts(t)
			}
		})
	}
}

// Request is the conversation that every case sends.
func Request(stream bool) *chat.Request {
	temperature, seed := 0.0, int64(7)
	return &chat.Request{
		Messages: []chat.Message{
			{Role: chat.System, Content: "You answer questions about orders."},
			{Role: chat.User, Content: "Where is order A-1001?"},
		},
		Tools: []chat.Tool{{
			Name: "get_order", Description: "Looks an order up.",
			Schema: []byte(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`),
		}},
		Temperature: &temperature, Seed: &seed, Stream: stream,
		Origin: chat.Origin{Scenario: "conformance", Trial: 1},
	}
}

func (d Dialect) replies(t *testing.T, stream bool) {
	usage := chat.Usage{InputTokens: 21, OutputTokens: 8}
	cases := []struct {
		name   string
		script Script
		want   chat.Reply
	}{
		{"text", Script{Text: "It shipped on Monday, by rail.", Usage: usage},
			chat.Reply{Content: "It shipped on Monday, by rail.", FinishReason: "stop", Usage: usage}},
		{"text beyond ASCII", Script{Text: strings.Repeat("Straße 東京 👩‍🚀 ", 9), Usage: usage},
			chat.Reply{Content: strings.Repeat("Straße 東京 👩‍🚀 ", 9), FinishReason: "stop", Usage: usage}},
		{"no text", Script{Text: "", Usage: usage}, chat.Reply{FinishReason: "stop", Usage: usage}},
		{"cut at the limit", Script{Text: "It shipped", Finish: "length", Usage: usage},
			chat.Reply{Content: "It shipped", FinishReason: "length", Usage: usage}},
		{"stopped by a filter after a text", Script{Text: "I cannot say more.", Finish: "content_filter", Usage: usage},
			chat.Reply{Content: "I cannot say more.", FinishReason: "content_filter", Usage: usage}},
		{"tool calls", Script{Usage: usage, Calls: []Call{
			{"a1", "get_order", `{"id":"A-1001","digits":12345678901234567890}`}, {"b2", "get_order", `{}`},
		}}, chat.Reply{FinishReason: "tool_calls", Usage: usage, ToolCalls: []chat.ToolCall{
			{Name: "get_order", Args: args(`{"id":"A-1001","digits":12345678901234567890}`)},
			{Name: "get_order", Args: args(`{}`)},
		}}},
		{"text and a tool call", Script{Text: "One moment.", Usage: usage, Calls: []Call{{"c3", "get_order", `{"id":"x"}`}}},
			chat.Reply{Content: "One moment.", FinishReason: "tool_calls", Usage: usage, ToolCalls: []chat.ToolCall{
				{Name: "get_order", Args: args(`{"id":"x"}`)},
			}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := d.Open(t, c.script)
			var streamed strings.Builder
			got, err := p.Complete(t.Context(), Request(stream), collect(t, stream, &streamed))
			if err != nil {
				t.Fatal(err)
			}
			if stream && streamed.String() != got.Content {
				t.Errorf("deltas add up to %q, the reply is %q", streamed.String(), got.Content)
			}
			checkIDs(t, got.ToolCalls)
			for i := range got.ToolCalls {
				got.ToolCalls[i].ID = ""
			}
			if got.ID != d.Reply {
				t.Errorf("the reply has the id %q, the server gave %q", got.ID, d.Reply)
			}
			got.ID, got.Model, got.CostUSD, got.LatencyMS = "", "", nil, 0
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func args(text string) jsonvalue.Object {
	m, _ := chat.ParseArgs(text)
	return m
}

// collect is an onDelta that must see text, whole runes of it, and only while streaming.
func collect(t *testing.T, stream bool, into *strings.Builder) func(chat.Delta) error {
	return func(d chat.Delta) error {
		if !stream {
			t.Error("a delta came although the call does not stream")
		}
		if d.Text == "" || strings.ToValidUTF8(d.Text, "") != d.Text {
			t.Errorf("delta %q is empty or cuts a rune", d.Text)
		}
		into.WriteString(d.Text)
		return nil
	}
}

func checkIDs(t *testing.T, calls []chat.ToolCall) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range calls {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("call of %s has the id %q, which is empty or taken", c.Name, c.ID)
		}
		seen[c.ID] = true
	}
}
