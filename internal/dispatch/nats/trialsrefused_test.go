package nats_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/fleet"
	"github.com/arena-evals/arena/internal/hang"
)

// TestRefusedAccounts: accounts that the trials of a run cannot use are refused at once, with what is wrong and without
// the password.
func TestRefusedAccounts(t *testing.T) {
	t.Parallel()
	locked := natstest.New(t, func(o *server.Options) { o.Username, o.Password = "arena", "right" })
	plain := natstest.New(t, func(o *server.Options) { o.JetStream = false })
	narrow := natstest.New(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "some", Password: "hunter2", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Deny: []string{"$JS.API.STREAM.>"}},
		}}}
	})
	for _, c := range []struct{ name, url, want string }{
		{"a wrong password", "nats://arena:hunter2@" + locked.Address(), "the broker refused the credentials"},
		{"no JetStream", plain.URL(), "the broker has no JetStream"},
		{"no streams", "nats://some:hunter2@" + narrow.Address(), "the broker does not allow it"},
	} {
		client, err := nats.Connect(t.Context(), nats.Options{URL: c.url, Stream: nats.DefaultTrials, Patience: hang.Guard})
		if err == nil {
			_, err = client.PrepareTrials(t.Context())
			client.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestResultsAreNotAllowed: a worker that may not store results ends with the reason, instead of having its trials paid
// for again and again. Its jobs are left to others.
func TestResultsAreNotAllowed(t *testing.T) {
	t.Parallel()
	b := natstest.New(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "all", Password: "x"},
			{Username: "some", Password: "y", Permissions: &server.Permissions{
				Publish: &server.SubjectPermission{Deny: []string{"arena.trials.results.>"}},
			}},
		}
		o.NoAuthUser = "all"
	})
	trials := trialsOn(t, b)
	if err := trials.Ask(t.Context(), aJob(0)); err != nil {
		t.Fatal(err)
	}
	client, err := nats.Connect(t.Context(), nats.Options{
		URL: "nats://some:y@" + b.Address(), Stream: nats.DefaultTrials, Patience: hang.Guard,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	narrow, err := client.PrepareTrials(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var paid atomic.Int32
	w := &nats.TrialWorker{
		Trials: narrow, Run: aRun, Needs: []string{"model"}, Jobs: 1, Name: "w", MaxDeliver: 5, AckWait: 10 * time.Second,
		Do: func(context.Context, *fleet.Job) (*fleet.Done, error) {
			paid.Add(1)
			return &fleet.Done{Line: []byte(`{}`)}, nil
		},
		Check: func(*fleet.Job) error { return nil }, Notify: func(text string) { t.Log(text) },
	}
	err = w.Serve(t.Context(), t.Context())
	if err == nil || !strings.Contains(err.Error(), "the broker does not allow it") || paid.Load() != 1 {
		t.Errorf("%v after %d trials", err, paid.Load())
	}
	served(t, trials, func(context.Context, *fleet.Job) (*fleet.Done, error) {
		return &fleet.Done{Line: []byte(`{"by":"another"}`)}, nil
	})
	if all := came(t, trials, 1); string(all[0].Line) != `{"by":"another"}` {
		t.Errorf("%+v", all[0])
	}
}

// TestResultsThatAreTooLarge: a result that the streams of the broker do not take, in one piece or in many, is an error
// with that reason. Its trial is not run again.
func TestResultsThatAreTooLarge(t *testing.T) {
	t.Parallel()
	const most = 64 << 10 // more than a job, and an error, have
	b := natstest.New(t)
	js := manage(t, b)
	trials := trialsOn(t, b)
	for _, name := range []string{"ARENA_TRIALS_RESULTS", "ARENA_TRIALS_FILES"} {
		stream, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		config := stream.CachedInfo().Config
		config.MaxMsgSize = most
		if _, err := js.UpdateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	sizes := []int{100, most + 1, 3 << 20} // of one message, of one in pieces
	for i := range sizes {
		if err := trials.Ask(t.Context(), aJob(i)); err != nil {
			t.Fatal(err)
		}
	}
	var paid atomic.Int32
	served(t, trials, func(_ context.Context, j *fleet.Job) (*fleet.Done, error) {
		paid.Add(1)
		return &fleet.Done{Line: []byte(`{"text":"` + strings.Repeat("x", sizes[j.Index]) + `"}`)}, nil
	})
	all := came(t, trials, len(sizes))
	if all[0].Error != "" || len(all[0].Line) == 0 {
		t.Errorf("the small one: %+v", all[0])
	}
	for i := range 2 {
		const want = "it was run, and its result cannot be sent: the message is larger than the broker takes"
		if got := all[i+1]; !strings.HasPrefix(got.Error, want) || len(got.Line) > 0 {
			t.Errorf("%d bytes: %q and %d bytes", sizes[i+1], got.Error, len(got.Line))
		}
	}
	if n := paid.Load(); int(n) != len(sizes) {
		t.Errorf("%d trials were run, want %d", n, len(sizes))
	}
}

// TestResultsAboveTheLimit: a result that is larger than any is sent is an error with both sizes, and what comes beside a
// result is left out alone. Neither is paid for again.
func TestResultsAboveTheLimit(t *testing.T) {
	t.Parallel()
	const most = 3 << 20 // more than a message has
	trials := trialsOn(t, natstest.New(t))
	done := []*fleet.Done{
		{Line: longLine(most - 1000)},
		{Line: longLine(most + 100)},
		{Line: longLine(100), Parts: map[string][]byte{
			fleet.StoryPart: make([]byte, most+1), fleet.TapePart: make([]byte, most),
		}},
	}
	for i := range done {
		if err := trials.Ask(t.Context(), aJob(i)); err != nil {
			t.Fatal(err)
		}
	}
	var paid, told atomic.Int32
	w := &nats.TrialWorker{
		Trials: trials, Run: aRun, Needs: []string{"model"}, Jobs: 1, Name: "w", MaxDeliver: 5, AckWait: 10 * time.Second,
		MaxOutcome: most, Check: func(*fleet.Job) error { return nil },
		Do: func(_ context.Context, j *fleet.Job) (*fleet.Done, error) {
			paid.Add(1)
			return done[j.Index], nil
		},
		Notify: func(text string) {
			if strings.Contains(text, "is left out: it has 3.0 MiB, and at most 3.0 MiB are sent") {
				told.Add(1)
			}
		},
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Serve(ctx, ctx) }()
	all := came(t, trials, len(done))
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if string(all[0].Line) != string(done[0].Line) {
		t.Errorf("the largest that is sent: %q, %d bytes", all[0].Error, len(all[0].Line))
	}
	const want = "it was run, and its result cannot be sent: it has 3.0 MiB, and at most 3.0 MiB are sent"
	if o := all[1]; o.Error != want || len(o.Line) > 0 {
		t.Errorf("%q and %d bytes, want %q", o.Error, len(o.Line), want)
	}
	story, tape := all[2].Parts[fleet.StoryPart], all[2].Parts[fleet.TapePart]
	if string(all[2].Line) != string(done[2].Line) || len(story.Data) > 0 || len(tape.Data) != most ||
		!strings.Contains(story.Error, "it has 3.0 MiB") {
		t.Errorf("%q, %d bytes of the story and %d of the tape", story.Error, len(story.Data), len(tape.Data))
	}
	if paid.Load() != 3 || told.Load() != 1 {
		t.Errorf("%d trials were run, and %d told", paid.Load(), told.Load())
	}
}

// longLine is a line with so many bytes, and some more.
func longLine(bytes int) []byte { return []byte(`{"text":"` + strings.Repeat("x", bytes) + `"}`) }

// TestFullResults: results wait at the worker for a stream that is full, and its trials are not run again.
func TestFullResults(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	js := manage(t, b)
	trials := trialsOn(t, b)
	limit := func(bytes int64) {
		stream, err := js.Stream(t.Context(), "ARENA_TRIALS_RESULTS")
		if err != nil {
			t.Fatal(err)
		}
		config := stream.CachedInfo().Config
		config.MaxBytes, config.Discard = bytes, jetstream.DiscardNew
		if _, err := js.UpdateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	limit(1)
	for i := range 2 {
		if err := trials.Ask(t.Context(), aJob(i)); err != nil {
			t.Fatal(err)
		}
	}
	var paid atomic.Int32
	both := make(chan struct{})
	served(t, trials, func(context.Context, *fleet.Job) (*fleet.Done, error) {
		if paid.Add(1) == 2 {
			close(both)
		}
		return &fleet.Done{Line: []byte(`{}`)}, nil
	})
	select {
	case <-both:
	case <-time.After(hang.Guard):
		t.Fatal("the trials are not run")
	}
	held := 0
	if err := trials.Held(t.Context(), aRun, func(int, *fleet.Outcome, error) { held++ }); err != nil || held != 0 {
		t.Errorf("%d results are in a full stream, %v", held, err)
	}
	limit(-1)
	for i, o := range came(t, trials, 2) {
		if o.Error != "" || string(o.Line) != `{}` {
			t.Errorf("%d: %+v", i, o)
		}
	}
	if n := paid.Load(); n != 2 {
		t.Errorf("%d trials were run, want 2", n)
	}
}

// TestFullAccount: an account without room for more is one whose results wait, and so is a broker that may store no more.
func TestFullAccount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, conf, refused string }{
		{
			"an account", `accounts { small: { jetstream: { max_file: 8M, max_mem: 1M }, users: [{user: arena, password: x}] } }`,
			"resource limits exceeded for account",
		},
		{"a broker", `authorization { user: arena, password: x }, jetstream { max_file_store: 8M }`, "insufficient resources"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conf := filepath.Join(t.TempDir(), "nats.conf")
			if err := os.WriteFile(conf, []byte(c.conf), 0o600); err != nil {
				t.Fatal(err)
			}
			said, err := server.ProcessConfigFile(conf)
			if err != nil {
				t.Fatal(err)
			}
			waitsForRoom(t, c.refused, func(o *server.Options) {
				o.Accounts, o.Users, o.Username, o.Password = said.Accounts, said.Users, said.Username, said.Password
				o.JetStreamMaxStore = said.JetStreamMaxStore
			})
		})
	}
}

// waitsForRoom fills the files of a broker, until it refuses more. A result waits until there is room again.
func waitsForRoom(t *testing.T, refused string, options func(*server.Options)) {
	t.Helper()
	b := natstest.New(t, options)
	client, err := nats.Connect(t.Context(), nats.Options{
		URL: "nats://arena:x@" + b.Address(), Stream: nats.DefaultTrials, Patience: hang.Guard,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	trials, err := client.PrepareTrials(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := trials.Ask(t.Context(), aJob(0)); err != nil {
		t.Fatal(err)
	}
	conn, err := natsgo.Connect("nats://arena:x@" + b.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; err == nil && n < 100; n++ {
		_, err = js.Publish(t.Context(), fmt.Sprintf("arena.trials.files.filling.%d", n), make([]byte, 512<<10))
	}
	if err == nil || !strings.Contains(err.Error(), refused) {
		t.Fatal(err)
	}
	var paid atomic.Int32
	ran := make(chan struct{})
	served(t, trials, func(context.Context, *fleet.Job) (*fleet.Done, error) {
		if paid.Add(1) == 1 {
			close(ran)
		}
		return &fleet.Done{Line: []byte(`{"text":"` + strings.Repeat("x", 600<<10) + `"}`)}, nil
	})
	<-ran
	files, err := js.Stream(t.Context(), "ARENA_TRIALS_FILES")
	if err == nil {
		err = files.Purge(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if all := came(t, trials, 1); all[0].Error != "" || len(all[0].Line) < 600<<10 {
		t.Errorf("%q and %d bytes", all[0].Error, len(all[0].Line))
	}
	if n := paid.Load(); n != 1 {
		t.Errorf("the trial was run %d times", n)
	}
}
