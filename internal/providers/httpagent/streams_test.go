package httpagent

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestStreams: replies and errors of streams.
func TestStreams(t *testing.T) {
	t.Parallel()
	const hello = "data: {\"delta\": {\"text\": \"Hel\"}}\n\ndata: {\"delta\": {\"text\": \"lo\"}}\n\n"
	const done = "data: [DONE]\n\n"
	for _, c := range []struct{ name, done, kind, body, want, pieces string }{
		{"whole", "", "", hello + done, "Hello", "Hel|lo"},
		{"comments, ids and other events", "", "",
			": hi\n\n" + hello + "id: 5\nevent: meta\ndata: {\"delta\": null}\n\n" + done,
			"Hello", "Hel|lo"},
		{"CRLF", "", "", strings.ReplaceAll(hello+done, "\n", "\r\n"), "Hello", "Hel|lo"},
		{"an event over several lines", "", "",
			"data: {\"delta\":\ndata: {\"text\": \"Hello\"}}\n\n" + done, "Hello", "Hello"},
		{"an event by its name", "end", "", hello + "event: end\ndata: {}\n\n", "Hello", "Hel|lo"},
		{"what comes after the end", "", "", hello + done + "data: {\"delta\": {\"text\": \"no\"}}\n\n", "Hello", "Hel|lo"},
		{"one document", "", jsonKind, `{"reply": "Hello"}`, "Hello", "Hello"},

		{"HTML", "", "text/html", "<title>Log in</title>", "bad_reply: the reply is an HTML page, not JSON; check " +
			`additional_config.url URL: HTML page "Log in"`, ""},
		{"HTML within", "", "", hello + "<html>502 Bad Gateway</html>\n\n" + done,
			"bad_reply: the stream has a line that is no event: <html>502 Bad Gateway</html>", "Hel|lo"},
		{"JSON within", "", "", hello + "{\"detail\": \"no database\"}\n" + done,
			`bad_reply: the stream has a line that is no event: {"detail": "no database"}`, "Hel|lo"},
		{"no end", "", "", hello, "bad_reply: the stream ended before the reply did: no event has the data or the name " +
			`"[DONE]" (stream.done)`, "Hel|lo"},
		{"cut within an event", "", "", hello + "data: {\"delta\": {\"te", "transport: the connection was cut before the " +
			"reply ended", "Hel|lo"},
		{"the end without its line", "", "", hello + "data: [DONE]",
			"transport: the connection was cut before the reply ended", "Hel|lo"},
		{"no text", "", "", "data: {\"text\": \"Hello\"}\n\n" + done, "bad_reply: no event of the stream has text at " +
			`"delta.text" (stream.data); the first one is: {"text": "Hello"}`, ""},
		{"blanks", "", "", "data: {\"delta\": {\"text\": \" \"}}\n\n" + done,
			`bad_reply: the reply is empty: {"delta": {"text": " "}}`, " "},
		{"nothing", "", "", "", "bad_reply: the stream brought no event of a reply", ""},
		{"an end alone", "", "", done, "bad_reply: the stream brought no event of a reply", ""},
		{"words", "", "", "data: Hello\n\n" + done, "bad_reply: a chunk of the stream is not JSON: Hello", ""},
		{"an error", "", "", hello + "event: error\ndata: {\"message\": \"no database\"}\n\n" + done,
			"bad_reply: the server reports an error: no database", "Hel|lo"},
		{"an error in the data", "", "", hello + "data: {\"error\": \"no database\"}\n\n" + done,
			"bad_reply: the server reports an error: no database", "Hel|lo"},
		{"a piece of another kind", "", "", "data: {\"delta\": {\"text\": 5}}\n\n" + done,
			"bad_reply: a piece of the reply " +
				`should be a text at "delta.text" (stream.data), and there is a number: {"delta": {"text": 5}}`, ""},
		{"a key twice", "", "", "data: {\"delta\": {\"text\": \"a\", \"text\": \"b\"}}\n\n" + done,
			"bad_reply: a chunk of the " +
				`stream has the key "text" twice in one object, and it is not known which one holds: ` +
				`{"delta": {"text": "a", "text": "b"}}`, ""},
		{"invalid UTF-8", "", "", "data: {\"delta\": {\"text\": \"a\xff\"}}\n\n" + done,
			"bad_reply: a chunk of the stream is not UTF-8: {\"delta\": {\"text\": \"a\uFFFD\"}}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kind := c.kind
			if kind == "" {
				kind = "text/event-stream"
			}
			url := served(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Accept"); got != "text/event-stream" {
					t.Errorf("the request accepts %s", got)
				}
				answer(200, kind, c.body)(w, r)
			})
			p := agent(t, url, func(s *scenario.Provider) {
				s.HTTP.Stream = &scenario.HTTPStream{Data: "delta.text", Done: "[DONE]"}
				if c.done != "" {
					s.HTTP.Stream.Done = c.done
				}
			})
			for _, listens := range []bool{true, false} {
				var pieces []string
				req := ask("Hi")
				req.Stream = listens
				r, err := p.Complete(t.Context(), req, func(d chat.Delta) error {
					pieces = append(pieces, d.Text)
					return nil
				})
				if diff := cmp.Diff(c.want, outcome(url, r, err)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				want := c.pieces
				if !listens {
					want = ""
				}
				if got := strings.Join(pieces, "|"); got != want {
					t.Errorf("listening: %v; the pieces are %q, want %q", listens, got, want)
				}
			}
		})
	}
}

// TestSilentStream: events that bring nothing of a reply are silence.
func TestSilentStream(t *testing.T) {
	t.Parallel()
	url := served(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, "data: {\"ping\": 1}\n\n"); err != nil || r.Context().Err() != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	})
	p := agent(t, url, func(s *scenario.Provider) {
		s.RequestTimeout = 50 * time.Millisecond // is meant to pass
		s.HTTP.Stream = &scenario.HTTPStream{Data: "text", Done: "[DONE]"}
	})
	_, err := p.Complete(t.Context(), ask("Hi"), nil)
	got := outcome(url, chat.Reply{}, err)
	if got != "timeout: timeout: no reply in 0.05s (request_timeout)" &&
		got != "bad_reply: the reply is larger than 32 MiB" {
		t.Errorf("got %s", got)
	}
}

// TestEnough: a guardrail closes the stream, and the received text is the reply.
func TestEnough(t *testing.T) {
	t.Parallel()
	url := served(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"text\": \"My password\"}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	p := agent(t, url, func(s *scenario.Provider) {
		s.HTTP.Stream = &scenario.HTTPStream{Data: "text", Done: "[DONE]"}
	})
	req := ask("Hi")
	req.Stream = true
	r, err := p.Complete(t.Context(), req, func(chat.Delta) error { return providers.ErrEnough })
	if err != nil || r.Content != "My password" || len(r.Unreported) != 2 {
		t.Errorf("got %+v, %v", r, err)
	}
	usual := agent(t, url, func(s *scenario.Provider) {
		s.HTTP.Stream = &scenario.HTTPStream{Data: "text", Done: "[DONE]"}
		s.HTTP.SessionFrom, s.HTTP.SessionName = "path", "id"
	})
	ctx := providers.InTrial(t.Context(), &providers.Trial{ID: "t"})
	if _, err := usual.Complete(ctx, req, func(chat.Delta) error { return providers.ErrEnough }); err != nil {
		t.Error(err)
	}
	_, err = usual.Complete(ctx, req, func(chat.Delta) error { return providers.ErrEnough })
	if err == nil || !strings.Contains(err.Error(), "closed before the endpoint had told its session") {
		t.Errorf("a conversation goes on without its session: %v", err)
	}
	refused := errors.New("refused")
	if _, err := p.Complete(t.Context(), req, func(chat.Delta) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}
