package nats_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/result"
)

func TestBadURLs(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for _, c := range []struct{ url, want string }{
		{"", "the URL is empty"},
		{"http://user:" + secret + "@host", `the URL has the scheme "http"`},
		{"nats://user:" + secret + "@", "the URL cannot be read"},
		{"nats://user:" + secret + "#@host:1", "the URL cannot be read"},
		{"nats://user:" + secret + "/@host:1", "the URL cannot be read"},
		{"nats://host:port", "the URL cannot be read"},
		{"nats://host:1/path", "the URL cannot be read"},
		{"user:" + secret + "://x", "the URL cannot be read"},
	} {
		err := nats.CheckURL(c.url)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, want %s", c.url, err, c.want)
		}
	}
	for _, good := range []string{
		"nats://h:1", "h", "h:4222", "tls://u:p@h", "nats://a:1,b:2", "ws://h", "nats://t0ken@h",
	} {
		if err := nats.CheckURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

// TestRefusedConnections say what is wrong at once, and nothing of the password.
func TestRefusedConnections(t *testing.T) {
	t.Parallel()
	locked := natstest.New(t, func(o *server.Options) { o.Username, o.Password = "arena", "right" })
	plain := natstest.New(t, func(o *server.Options) { o.JetStream = false })
	for _, c := range []struct{ name, url, want string }{
		{"a wrong password", "nats://arena:hunter2@" + locked.Address(), "the broker refused the credentials"},
		{"no password", locked.URL(), "the broker refused the credentials"},
		{"TLS where there is none", "tls://u:hunter2@" + plain.Address(), "write tls://host:port for a broker with TLS"},
		{"no JetStream", plain.URL(), "the broker has no JetStream"},
		{"nobody", "nats://u:hunter2@127.0.0.1:1", "the broker does not answer (tried for 300ms)"},
		{"a stream's name", plain.URL() + "|a b", `a stream cannot be called "a b"`},
	} {
		url, stream, _ := strings.Cut(c.url, "|")
		patience := hang.Guard
		if c.name == "nobody" {
			patience = 300 * time.Millisecond // is meant to pass
		}
		client, err := nats.Connect(t.Context(), nats.Options{URL: url, Stream: stream, Patience: patience})
		if err == nil {
			err = client.Prepare(t.Context())
			client.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestForeignStreams: a stream that could lose something is refused, and left as it is.
func TestForeignStreams(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	conn, err := natsgo.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config jetstream.StreamConfig
		want   string
	}{
		"A": {jetstream.StreamConfig{Subjects: []string{"other"}},
			"the stream A takes the subjects other; a.requests must be"},
		"B": {jetstream.StreamConfig{Subjects: []string{"b.requests"}, NoAck: true}, "does not confirm what it stores"},
		"C": {jetstream.StreamConfig{Subjects: []string{"c.*"}, Retention: jetstream.InterestPolicy}, "retention interest"},
		"D": {jetstream.StreamConfig{Subjects: []string{"d.requests"}, MaxMsgs: 7},
			"throws away old requests when it is full"},
		"E": {jetstream.StreamConfig{Subjects: []string{"e.requests"}, MaxAge: time.Hour},
			"throws away requests after 1h0m0s"},
		"F_RESULTS": {jetstream.StreamConfig{Subjects: []string{"f.results.>"}, Retention: jetstream.WorkQueuePolicy},
			"forgets messages once they were read"},
		"G_DEAD": {jetstream.StreamConfig{Subjects: []string{"g.dead.x"}}, "g.dead.> must be among them"},
		"H":      {jetstream.StreamConfig{Subjects: []string{"h.requests"}}, ""},
	} {
		c.config.Name = name
		if _, err := js.CreateStream(t.Context(), c.config); err != nil {
			t.Fatal(err)
		}
		client := connect(t, nats.Options{URL: b.URL(), Stream: name[:1], Patience: hang.Guard})
		switch err := client.Prepare(t.Context()); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	missing := connect(t, nats.Options{URL: b.URL(), Stream: "X_Y", NoCreate: true, Patience: hang.Guard})
	want := b.URL() + ": there is no stream X_Y for x.y.requests\nleave --no-create out to have it made"
	if err := missing.Prepare(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestForeignConsumers: a consumer that could lose something is refused.
func TestForeignConsumers(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	first := worker(c, evaluate(both))
	run(t, first)
	other := worker(c, evaluate(both))
	other.AckWait = time.Minute
	if err := other.Run(t.Context(), t.Context()); err == nil ||
		!strings.Contains(err.Error(), "has the ack wait 30s; --ack-wait says 1m0s") {
		t.Error(err)
	}
	other = worker(c, evaluate(both))
	other.Durable = "second"
	if err := other.Run(t.Context(), t.Context()); err == nil ||
		!strings.Contains(err.Error(), "consumer second of the stream") {
		t.Error(err)
	}
}

// TestLarge: what the broker does not take is told, and a result loses its details before it is lost.
func TestLarge(t *testing.T) {
	t.Parallel()
	b := natstest.New(t, func(o *server.Options) { o.MaxPayload = 4096 })
	c := client(t, b)
	large := request("large")
	large.Messages[0].Content = strings.Repeat("x", 5000)
	if err := c.Publish(t.Context(), large); err == nil ||
		!strings.Contains(err.Error(), "larger than the broker takes: it has 5.") {
		t.Error(err)
	}
	publish(t, c, request("details"), request("text"))
	same(t, nats.Stats{Requests: 2, Results: 1, Dead: 1}, run(t, worker(c, evaluate(wordy))))
	same(t, []string{"details/a"}, results(t, b))
	for _, letter := range letters(t, b) {
		if !strings.HasPrefix(letter, `text: too-large: the result of the eval "a": the message is larger than the broker`) {
			t.Error(letter)
		}
	}
}

// wordy measures with details that are too large, or with an explanation that is.
func wordy(_ context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
	e := result.EvalResult{ID: "a", Score: new(1.0)}
	if long := strings.Repeat("y", 5000); r.ID == "text" {
		e.Explanation = long
	} else {
		e.Details = map[string]any{"seen": long}
	}
	return []result.EvalResult{e}, nil
}
