package providertest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// Hi is a message of a user.
var Hi = TextMessage(chat.User, "Hi")

// TextMessage is a message.
func TextMessage(role chat.Role, text string) chat.Message {
	return chat.Message{Role: role, Content: text}
}

// Result is the result of a call of the tool f.
func Result(id, text string) chat.Message {
	return chat.Message{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: id, Name: "f", Content: text}}
}

// Calls is a message that calls the tool f once for each id.
func Calls(text string, ids ...string) chat.Message {
	m := TextMessage(chat.Assistant, text)
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, chat.ToolCall{ID: id, Name: "f", Args: chat.Args{"n": json.Number("1")}})
	}
	return m
}

// State is the opaque state of a type of model.
func State(kind, data string) *chat.Opaque {
	return &chat.Opaque{From: kind + "/" + ID, Data: json.RawMessage(data)}
}

// Canned is a document, or a stream of events, that a server sends for a reply.
type Canned struct {
	Body   string
	Stream bool
}

// Ask gets it out of a provider that open opens over a transport.
func (c Canned) Ask(
	t testing.TB, open func(RoundTrip) providers.Provider, status int, headers ...string,
) (chat.Reply, error) {
	t.Helper()
	kind := "application/json"
	if c.Stream {
		kind = "text/event-stream"
	}
	p := open(Answers(status, kind, c.Body, headers...))
	return p.Complete(t.Context(), &chat.Request{Stream: c.Stream, Messages: []chat.Message{Hi}}, nil)
}

// CheckReply compares a reply with the wanted one, or its error with "kind: part of the text".
func CheckReply(t testing.TB, got chat.Reply, err error, want chat.Reply, wantErr string) {
	t.Helper()
	if failed, ok := errors.AsType[*providers.Error](err); ok {
		kind, part, _ := strings.Cut(wantErr, ": ")
		if wantErr == "" || string(failed.Kind) != kind || !strings.Contains(failed.Msg, part) {
			t.Errorf("got a %s error: %s; want %s", failed.Kind, failed.Msg, wantErr)
		}
		return
	}
	if err != nil || wantErr != "" {
		t.Fatalf("got %+v and %v, want %s", got, err, wantErr)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(chat.Reply{}, "LatencyMS")); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

// FuzzReply feeds a provider whatever a server may send. It never panics, and a reply without an error has ended, and
// can be sent back.
func FuzzReply(
	f *testing.F, seeds []string, ask func(*testing.T, Canned) (chat.Reply, error),
	send func(*testing.T, *chat.Request) error,
) {
	for _, body := range seeds {
		f.Add(body, true)
		f.Add(body, false)
	}
	f.Fuzz(func(t *testing.T, body string, stream bool) {
		reply, err := ask(t, Canned{body, stream})
		var failed *providers.Error
		switch {
		case err != nil && !errors.As(err, &failed):
			t.Errorf("%T is not a *providers.Error: %v", err, err)
		case err == nil && reply.FinishReason == "":
			t.Errorf("a reply that has not ended: %+v", reply)
		case err == nil:
			err := send(t, &chat.Request{Messages: []chat.Message{Hi, reply.Message()}})
			if err != nil && len(reply.Parts) == 0 { // the data of media may be anything
				t.Errorf("the reply cannot be sent back: %v", err)
			}
		}
	})
}
