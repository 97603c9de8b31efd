package cassette

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const trialID = "refund/gpt-4o/default#2[city=Köln]"

// folderIn returns a folder of cassettes. Its clock advances by a millisecond each time it is read.
func folderIn(dir string, replay bool) *Folder {
	at := time.Unix(1_700_000_000, 0)
	return &Folder{Dir: dir, Replay: replay, Now: func() time.Time {
		at = at.Add(time.Millisecond)
		return at
	}}
}

func open(t *testing.T, d *Folder) *Recorder {
	t.Helper()
	tape, err := d.Open(Trial{trialID, trialID}, false, func(bool) string { return "arena run --record " + d.Dir })
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

func closed(t *testing.T, tape *Recorder) (notice string) {
	t.Helper()
	notice, err := tape.Close(true)
	if err != nil {
		t.Fatal(err)
	}
	return notice
}

// recordAndReplay records a trial, replays it, and expects the same outcome of both.
func recordAndReplay[T any](t *testing.T, trial func(l *Lane, live bool) T) T {
	t.Helper()
	dir := t.TempDir()
	record := open(t, folderIn(dir, false))
	first := trial(record.Lane("turn 1"), true)
	closed(t, record)
	replay := open(t, folderIn(dir, true))
	second := trial(replay.Lane("turn 1"), false)
	if notice := closed(t, replay); notice != "" {
		t.Error(notice)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("replayed otherwise than recorded (-recorded +replayed):\n%s", diff)
	}
	return first
}

// model is a provider that always gives the same reply or error. A nil model must not be called.
type model struct {
	reply  chat.Reply
	err    error
	pieces []string
}

func (m *model) Complete(_ context.Context, _ *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	text := ""
	for _, piece := range m.pieces {
		if onDelta == nil {
			break
		}
		text += piece
		if err := onDelta(chat.Delta{Text: piece}); errors.Is(err, providers.ErrEnough) {
			return chat.Reply{Content: text, Model: m.reply.Model}, nil
		} else if err != nil {
			return chat.Reply{}, err
		}
	}
	return m.reply, m.err
}

func client(m *model, live bool) providers.Provider {
	if live {
		return m
	}
	return nil
}

func request(text string) *chat.Request {
	return &chat.Request{
		Messages:    []chat.Message{{Role: chat.System, Content: "Be kind.\nBe short.\n"}, {Role: chat.User, Content: text}},
		Tools:       []chat.Tool{{Name: "pay", Description: "Pays <all>", Schema: json.RawMessage(`{"type":"object"}`)}},
		Temperature: new(0.5), Seed: new(int64(-7)), Stream: true,
	}
}

// outcome is what a trial sees of a call.
type outcome struct {
	Reply  chat.Reply
	Err    string
	Kind   providers.Kind
	Status int
	Heard  []string
}

func outcomeOf(reply chat.Reply, err error, streamed []string) outcome {
	o := outcome{Reply: reply, Heard: streamed}
	if err != nil {
		o.Err = err.Error()
	}
	if e, ok := errors.AsType[*providers.Error](err); ok {
		o.Kind, o.Status = e.Kind, e.Status
	}
	return o
}

func TestModelCalls(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*model{
		"text": {reply: chat.Reply{
			Content: "Dear Ada,\n\ttäglich <b>\u2028\x01\r\n", FinishReason: "stop", Model: "gpt-4o-2026", CostUSD: new(0.25),
			Usage: chat.Usage{InputTokens: 3, OutputTokens: 4, CachedTokens: 1, CacheWriteTokens: 1, ReasoningTokens: 2}, Retries: 2, Notice: "said once",
		}, pieces: []string{"Dear Ada,\n\ttäg", "lich <b>\u2028\x01\r\n"}},
		"calls": {reply: chat.Reply{ToolCalls: []chat.ToolCall{
			{ID: "1", Name: "pay", Args: map[string]any{"n": json.Number("12345678901234567890"), "of": []any{nil, true, "<"}},
				Opaque: &chat.Opaque{From: "gemini/g", Data: json.RawMessage(`{"thoughtSignature":"a+/=<"}`)}},
			{ID: "2", Name: "pay", BadArgs: "{"},
			{ID: "3", Name: "none", Args: map[string]any{}},
		}, ToolResults: []chat.ToolResult{{ID: "1", Name: "pay", Content: "paid\n", LatencyMS: 3}}, FinishReason: "tool_calls",
			Opaque: &chat.Opaque{From: "gemini/g", Data: json.RawMessage(`[{"n":1.50},["\u00e9"]]`)}}},
		"parts": {reply: chat.Reply{Parts: []chat.Part{
			{Type: "text", Text: "Here:"},
			{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: base64.StdEncoding.EncodeToString(make([]byte, 5000))}},
			{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "AAAA", Width: 3}},
		}}},
		"refused": {err: &providers.Error{
			Kind: providers.RateLimit, Provider: "p", Status: 429, Msg: "slow down", Attempts: 4, RetryAfter: time.Second,
		}},
		"wrapped": {err: errors.Join(errors.New("at last"), &providers.Error{Kind: providers.Auth, Provider: "p", Msg: "no key"})},
		"cut":     {err: &providers.Error{Kind: providers.Transport, Msg: "cut"}, pieces: []string{"Your ", "refund"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := recordAndReplay(t, func(l *Lane, live bool) outcome {
				var streamed []string
				reply, err := l.Complete(t.Context(), client(m, live), "gpt-4o", request("Hi"), func(d chat.Delta) error {
					streamed = append(streamed, d.Text)
					return nil
				})
				return outcomeOf(reply, err, streamed)
			})
			got.Reply.LatencyMS = 0
			if m.err == nil {
				if diff := cmp.Diff(m.reply, got.Reply); diff != "" {
					t.Errorf("the trial saw another reply (-want +got):\n%s", diff)
				}
			} else if got.Err != m.err.Error() {
				t.Errorf("%q, want %q", got.Err, m.err)
			}
			if diff := cmp.Diff(m.pieces, got.Heard); diff != "" {
				t.Errorf("heard (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClosedStream: a guardrail closes the replayed stream where it closed the recorded one.
func TestClosedStream(t *testing.T) {
	t.Parallel()
	m := &model{reply: chat.Reply{Content: "one two three", FinishReason: "stop"}, pieces: []string{"one ", "two ", "three"}}
	until := func(word string, streamed *[]string) func(chat.Delta) error {
		return func(d chat.Delta) error {
			if *streamed = append(*streamed, d.Text); d.Text == word {
				return providers.ErrEnough
			}
			return nil
		}
	}
	got := recordAndReplay(t, func(l *Lane, live bool) outcome {
		var streamed []string
		reply, err := l.Complete(t.Context(), client(m, live), "", request("Hi"), until("two ", &streamed))
		return outcomeOf(reply, err, streamed)
	})
	if got.Reply.Content != "one two " || got.Reply.FinishReason != "" {
		t.Errorf("got %+v", got.Reply)
	}
	dir := t.TempDir()
	record := open(t, folderIn(dir, false))
	var streamed []string
	if _, err := record.Lane("turn 1").Complete(t.Context(), m, "", request("Hi"), until("two ", &streamed)); err != nil {
		t.Fatal(err)
	}
	closed(t, record)
	replay := open(t, folderIn(dir, true))
	_, err := replay.Lane("turn 1").Complete(t.Context(), nil, "", request("Hi"), until("never", &streamed))
	if !isMiss(err) || !strings.Contains(err.Error(), "ends where a guardrail closed the stream") {
		t.Errorf("what followed was never recorded, got %v", err)
	}
	replay = open(t, folderIn(dir, true))
	reply, err := replay.Lane("turn 1").Complete(t.Context(), nil, "", request("Hi"), until("one ", &streamed))
	if err != nil || reply.Content != "one " || reply.CostUSD != nil || !reply.Usage.Estimated {
		t.Errorf("closed earlier than recorded: %+v, %v", reply, err)
	}
}

// TestChunksOfTheLastAttempt: chunks of failed attempts are not part of the reply.
func TestChunksOfTheLastAttempt(t *testing.T) {
	t.Parallel()
	h := &streamRecorder{now: time.Now}
	for _, piece := range []string{"Your re", "Your ", "refund"} {
		if err := h.handle(chat.Delta{Text: piece}); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.chunksOf("Your refund").cut("Your refund"); !cmp.Equal(got, []string{"Your ", "refund"}) {
		t.Errorf("got %q", got)
	}
}

type otherServices struct{}

func (otherServices) Ask(_ context.Context, use grading.JudgeUse, q *grading.Question) (grading.Answer, error) {
	a := grading.Answer{Judge: use.Judge, Provider: "p", Model: "m"}
	if q.Vote == 2 {
		return a, grading.ErrNoJudge
	}
	a.Text, a.Key, a.LatencyMS, a.CostUSD = "{\"score\":\n1}", "k", 3.25, new(0.5)
	return a, nil
}

func (otherServices) Embed(context.Context, []string) (chat.Embeddings, error) {
	return chat.Embeddings{Vectors: [][]float64{{0.1, -1e-9, 3}, {}}, Model: "e", Tokens: new(7)}, nil
}

func TestJudgesAndEmbeddings(t *testing.T) {
	t.Parallel()
	type answers struct {
		Answers [2]grading.Answer
		NoJudge bool
		Vectors chat.Embeddings
	}
	got := recordAndReplay(t, func(l *Lane, _ bool) (s answers) {
		judges := l.Judges(otherServices{})
		q := &grading.Question{Messages: []chat.Message{{Role: chat.System, Content: "Grade."}}, Extra: map[string]any{"n": 1}}
		var err error
		if s.Answers[0], err = judges.Ask(t.Context(), grading.JudgeUse{Judge: "strict"}, q); err != nil {
			t.Error(err)
		}
		q.Vote = 2
		s.Answers[1], err = judges.Ask(t.Context(), grading.JudgeUse{Judge: "strict"}, q)
		s.NoJudge = errors.Is(err, grading.ErrNoJudge)
		if s.Vectors, err = l.Embedder(otherServices{}).Embed(t.Context(), []string{"a", "b\nc"}); err != nil {
			t.Error(err)
		}
		return s
	})
	if !got.NoJudge || got.Answers[0].LatencyMS != 3.25 || len(got.Vectors.Vectors) != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestToolsAndEvaluators(t *testing.T) {
	t.Parallel()
	type answers struct {
		Results []chat.ToolResult
		Outside checks.Received
		Err     string
	}
	recordAndReplay(t, func(l *Lane, live bool) (s answers) {
		n := 0
		run := func(_ context.Context, call chat.ToolCall) chat.ToolResult {
			if !live {
				t.Error("a tool was run")
			}
			n++
			return chat.ToolResult{ID: call.ID, Name: call.Name, Content: strings.Repeat("x\n", n), LatencyMS: 2}
		}
		for _, id := range []string{"1", "2"} { // the same call again has its own answer
			call := chat.ToolCall{ID: id, Name: "pay", Args: map[string]any{"n": 5}}
			s.Results = append(s.Results, l.Call(t.Context(), call, "", run))
		}
		var err error
		sent := checks.Sent{Kind: checks.ByProgram, To: "sh eval.sh", Body: []byte("{\"a\":\n[1.0]}")}
		s.Outside, err = l.Outside().Exchange(t.Context(), sent, func() (checks.Received, error) {
			return checks.Received{Text: "no", Stderr: "why"}, errors.New("exit status 3")
		})
		s.Err = err.Error()
		return s
	})
}

// TestOrder: a cassette is the same whichever exchange ended first.
func TestOrder(t *testing.T) {
	t.Parallel()
	var files [2]string
	for i := range files {
		dir := t.TempDir()
		d := folderIn(dir, false)
		now := d.Now()
		d.Now = func() time.Time { return now }
		tape := open(t, d)
		lanes := []*Lane{tape.Lane("turn 1, check 1 (a)"), tape.Lane("turn 1, check 2 (b)")}
		for j := range lanes {
			l := lanes[(i+j)%2]
			for vote := range 3 {
				q := &grading.Question{Messages: []chat.Message{{Content: "q"}}, Vote: (vote + i) % 2}
				if _, err := l.Judges(otherServices{}).Ask(t.Context(), grading.JudgeUse{}, q); err != nil {
					t.Fatal(err)
				}
				if vote == 1 {
					break
				}
			}
		}
		closed(t, tape)
		data, err := os.ReadFile(d.file(trialID))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(data)
	}
	if diff := cmp.Diff(files[0], files[1]); diff != "" {
		t.Error(diff)
	}
}

func TestUnfinishedTrialLeavesTheOldCassette(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	say := func(text string, finished bool) {
		tape := open(t, folderIn(dir, false))
		if _, err := tape.Lane("turn 1").Complete(t.Context(), &model{reply: chat.Reply{Content: text}}, "", request("Hi"),
			nil); err != nil {
			t.Fatal(err)
		}
		if _, err := tape.Close(finished); err != nil {
			t.Fatal(err)
		}
	}
	say("old", true)
	say("new", false)
	replay := open(t, folderIn(dir, true))
	if reply, err := replay.Lane("turn 1").Complete(t.Context(), nil, "", request("Hi"), nil); reply.Content != "old" {
		t.Errorf("got %q, %v", reply.Content, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if len(left) > 0 || err != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestRealtime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := &model{reply: chat.Reply{Content: "one two"}, pieces: []string{"one ", "two"}}
	record := open(t, folderIn(dir, false))
	if _, err := record.Lane("turn 1").Complete(t.Context(), m, "", request("Hi"), nil); err != nil {
		t.Fatal(err)
	}
	closed(t, record)
	d := folderIn(dir, true)
	var waits []time.Duration
	d.Sleep = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	if _, err := open(t, d).Lane("turn 1").Complete(t.Context(), nil, "", request("Hi"), nil); err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{time.Millisecond, time.Millisecond, 2 * time.Millisecond}
	if diff := cmp.Diff(want, waits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOff: a run without cassettes allocates nothing for them. The test counts allocations, so it runs alone.
func TestOff(t *testing.T) {
	var d *Folder
	tape, err := d.Open(Trial{trialID, trialID}, false, nil)
	if tape != nil || err != nil {
		t.Fatal(tape, err)
	}
	l := tape.Lane("turn 1")
	if l != nil || l.Outside() != nil || l.Judges(nil) != nil || l.Spent() != 0 || tape.Err() != nil {
		t.Error("something is there")
	}
	call := chat.ToolCall{Name: "pay"}
	ran := 0
	run := func(context.Context, chat.ToolCall) chat.ToolResult { ran++; return chat.ToolResult{} }
	if n := testing.AllocsPerRun(100, func() { l.Call(context.Background(), call, "", run) }); n > 0 || ran == 0 {
		t.Errorf("%v allocations, run %d times", n, ran)
	}
}
