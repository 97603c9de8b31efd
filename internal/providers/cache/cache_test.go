package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// model counts its calls and returns the same reply in pieces, or fails.
type model struct {
	calls  atomic.Int64
	reply  chat.Reply
	err    error
	pieces []string
}

func (m *model) Address() string { return "https://models.test/v1" }

func (m *model) Complete(_ context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	m.calls.Add(1)
	text := ""
	for _, piece := range m.pieces {
		if !req.Stream || onDelta == nil {
			break
		}
		text += piece
		if err := onDelta(chat.Delta{Text: piece}); errors.Is(err, providers.ErrEnough) {
			return providers.ClosedReply(m.reply, text), nil
		} else if err != nil {
			return chat.Reply{}, err
		}
	}
	return m.reply, m.err
}

func spec() *scenario.Provider {
	return &scenario.Provider{Meta: scenario.Meta{ID: "p"}, Type: "openai", Model: "m", APIKey: "k-1"}
}

func question() *chat.Request {
	return &chat.Request{
		Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}, Temperature: new(0.5), Stream: true,
		Origin: chat.Origin{Scenario: "a", Trial: 1},
	}
}

func helloModel() *model {
	return &model{pieces: []string{"Hällo ", "Ada"}, reply: chat.Reply{
		Content: "Hällo Ada", FinishReason: "stop", Model: "m-1", Usage: chat.Usage{InputTokens: 3, OutputTokens: 9},
		CostUSD: new(0.5), LatencyMS: 120,
		ToolCalls: []chat.ToolCall{{ID: "1", Name: "pay", Args: map[string]any{"n": json.Number("12345678901234567890")},
			Opaque: &chat.Opaque{From: "gemini/p", Data: json.RawMessage(`"x"`)}}},
		Opaque: &chat.Opaque{From: "gemini/p", Data: json.RawMessage(`[{"signature":"y"}]`)},
	}}
}

func TestHit(t *testing.T) {
	t.Parallel()
	m := helloModel()
	s := &Store{Dir: t.TempDir(), Note: func(text string) { t.Error(text) }}
	for i := range 3 {
		var pieces []string
		listen := func(d chat.Delta) error {
			pieces = append(pieces, d.Text)
			return nil
		}
		reply, err := s.Wrap(m, spec()).Complete(t.Context(), question(), listen)
		want := m.reply
		want.Cached = i > 0
		if diff := cmp.Diff(want, reply); diff != "" || err != nil {
			t.Errorf("call %d: %v (-want +got):\n%s", i+1, err, diff)
		}
		if diff := cmp.Diff(m.pieces, pieces); diff != "" {
			t.Errorf("call %d streamed otherwise:\n%s", i+1, diff)
		}
	}
	if n := m.calls.Load(); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
	reply, err := s.Wrap(m, spec()).Complete(t.Context(), question(), func(chat.Delta) error { return providers.ErrEnough })
	if err != nil || reply.Content != "Hällo " || !reply.Cached || reply.CostUSD != nil || reply.ToolCalls != nil {
		t.Errorf("a closed stream: %+v, %v", reply, err)
	}
	stop := errors.New("stop")
	if _, err := s.Wrap(m, spec()).Complete(t.Context(), question(), func(chat.Delta) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

// TestKeys: only the very same question has the same key.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(p *scenario.Provider, r *chat.Request)
		same   bool
	}{
		{"nothing", func(*scenario.Provider, *chat.Request) {}, true},
		{"the key", func(p *scenario.Provider, _ *chat.Request) { p.APIKey, p.KeyEnv = "k-2", "K" }, true},
		{"the price", func(p *scenario.Provider, _ *chat.Request) { p.Pricing = &scenario.Pricing{InputPer1K: 1} }, true},
		{"the scenario", func(_ *scenario.Provider, r *chat.Request) { r.Origin.Scenario = "b" }, true},
		{"what a message took", func(_ *scenario.Provider, r *chat.Request) { r.Messages[0].LatencyMS = 7 }, true},
		{"the trial", func(_ *scenario.Provider, r *chat.Request) { r.Origin.Trial = 2 }, false},
		{"the repetition", func(_ *scenario.Provider, r *chat.Request) { r.Origin.Repetition = 2 }, false},
		{"a trial that asks for the same", func(_ *scenario.Provider, r *chat.Request) {
			r.Origin.Trial, r.Origin.Repetition = 4, 1
		}, true},
		{"the vote", func(_ *scenario.Provider, r *chat.Request) { r.Origin.Vote = 1 }, false},
		{"a word", func(_ *scenario.Provider, r *chat.Request) { r.Messages[0].Content = "Ho" }, false},
		{"a role", func(_ *scenario.Provider, r *chat.Request) { r.Messages[0].Role = chat.System }, false},
		{"a parameter", func(_ *scenario.Provider, r *chat.Request) { r.Temperature = nil }, false},
		{"streaming", func(_ *scenario.Provider, r *chat.Request) { r.Stream = false }, false},
		{"a tool", func(_ *scenario.Provider, r *chat.Request) { r.Tools = []chat.Tool{{Name: "pay"}} }, false},
		{"a schema", func(_ *scenario.Provider, r *chat.Request) { r.JSONSchema = []byte("{}") }, false},
		{"the model", func(p *scenario.Provider, _ *chat.Request) { p.Model = "n" }, false},
		{"the address", func(p *scenario.Provider, _ *chat.Request) { p.BaseURL = "https://other.test" }, false},
		{"the id", func(p *scenario.Provider, _ *chat.Request) { p.ID = "q" }, false},
		{"the type", func(p *scenario.Provider, _ *chat.Request) { p.Type = "vllm" }, false},
		{"a header", func(p *scenario.Provider, _ *chat.Request) { p.Headers = map[string]string{"X-Org": "b"} }, false},
		{"a header with a key", func(p *scenario.Provider, _ *chat.Request) { p.Headers = map[string]string{"X-Auth": "b"} }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, m := &Store{Dir: t.TempDir()}, helloModel()
			if _, err := s.Wrap(m, spec()).Complete(t.Context(), question(), nil); err != nil {
				t.Fatal(err)
			}
			p, r := spec(), question()
			c.change(p, r)
			reply, err := s.Wrap(m, p).Complete(t.Context(), r, nil)
			if err != nil || reply.Cached != c.same {
				t.Errorf("cached %v, want %v (%v)", reply.Cached, c.same, err)
			}
		})
	}
}

// TestFiles: a file that a message names is asked about again when its content has changed.
func TestFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "chart.png")
	parts := []chat.Part{{Type: "image", Media: &chat.Media{MIMEType: "image/png", Path: file, Local: true}}}
	for name, r := range map[string]*chat.Request{
		"of a user": {Messages: []chat.Message{{Role: chat.User, Parts: parts}}},
		"of a tool": {Messages: []chat.Message{{Role: chat.ToolRole, ToolResult: &chat.ToolResult{Parts: parts}}}},
	} {
		s, m := &Store{Dir: t.TempDir()}, helloModel()
		for i, c := range []struct {
			content string
			cached  bool
		}{{"up", false}, {"up", true}, {"down", false}, {"up", true}} {
			if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if reply, err := s.Wrap(m, spec()).Complete(t.Context(), r, nil); err != nil || reply.Cached != c.cached {
				t.Errorf("%s, call %d: cached %v, want %v (%v)", name, i+1, reply.Cached, c.cached, err)
			}
		}
	}
}

// TestClosed: a reply that guardrails closed is kept for calls that the same guardrails listen to, and for no others.
func TestClosed(t *testing.T) {
	t.Parallel()
	enough := func(after int) func(chat.Delta) error {
		received := 0
		return func(d chat.Delta) error {
			if received += len([]rune(d.Text)); received >= after {
				return providers.ErrEnough
			}
			return nil
		}
	}
	m := helloModel()
	s := &Store{Dir: t.TempDir(), Note: func(text string) { t.Error(text) }}
	ask := func(closing string, listen func(chat.Delta) error) (chat.Reply, error) {
		r := question()
		r.Origin.Closing = closing
		return s.Wrap(m, spec()).Complete(t.Context(), r, listen)
	}
	for i, c := range []struct {
		closing string
		after   int
		cached  bool
		content string
	}{
		{"a", 5, false, "Hällo "}, {"a", 5, true, "Hällo "}, {"a", 6, true, "Hällo "}, // the same
		{"b", 5, false, "Hällo "}, {"b", 5, true, "Hällo "}, // another definition
		{"", 5, false, "Hällo "}, {"", 5, false, "Hällo "}, // nobody knows which
		{"c", 99, false, "Hällo Ada"}, {"c", 5, true, "Hällo "}, {"d", 99, true, "Hällo Ada"}, // a whole one is for all
	} {
		reply, err := ask(c.closing, enough(c.after))
		if err != nil || reply.Cached != c.cached || reply.Content != c.content {
			t.Errorf("call %d: %+v, %v; want %+v", i+1, reply, err, c)
		}
	}
	// One whose guardrail lets it pass after all is no reply, and is not kept on.
	s.Dir = t.TempDir()
	if _, err := ask("a", enough(5)); err != nil {
		t.Fatal(err)
	}
	_, err := ask("a", enough(99))
	if failed, ok := errors.AsType[*providers.Error](err); !ok || failed.Kind != providers.BadReply || !failed.Final {
		t.Errorf("half a reply passed for a whole one: %v", err)
	}
	if reply, err := ask("a", enough(99)); err != nil || reply.Cached || reply.Content != "Hällo Ada" {
		t.Errorf("%+v, %v", reply, err)
	}
}

// TestNotKept: failed, cut and closed replies are not stored.
func TestNotKept(t *testing.T) {
	t.Parallel()
	cut := helloModel()
	cut.reply.FinishReason = "length"
	unfinished := helloModel()
	unfinished.reply.FinishReason = ""
	for name, c := range map[string]struct {
		model  *model
		listen func(chat.Delta) error
	}{
		"an error":       {&model{err: &providers.Error{Kind: providers.Transport, Msg: "cut"}}, nil},
		"cut short":      {cut, nil},
		"not finished":   {unfinished, nil},
		"closed":         {helloModel(), func(chat.Delta) error { return providers.ErrEnough }},
		"nothing at all": {&model{reply: chat.Reply{FinishReason: "stop"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Store{Dir: t.TempDir()}
			for range 2 {
				reply, _ := s.Wrap(c.model, spec()).Complete(t.Context(), question(), c.listen)
				if reply.Cached {
					t.Error("it was kept")
				}
			}
			if st, err := s.Stats(); st.Entries != 0 || c.model.calls.Load() != 2 || err != nil {
				t.Errorf("%+v, %d calls, %v", st, c.model.calls.Load(), err)
			}
		})
	}
}

func TestDamagedEntries(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func([]byte) []byte{
		"empty":       func([]byte) []byte { return nil },
		"half":        func(b []byte) []byte { return b[:len(b)/2] },
		"another key": func(b []byte) []byte { return bytes.Replace(b, []byte(`"key": "`), []byte(`"key": "f`), 1) },
		"one bit":     func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			notes := 0
			s, m := &Store{Dir: t.TempDir(), Note: func(string) { notes++ }}, helloModel()
			ask := func() chat.Reply {
				reply, err := s.Wrap(m, spec()).Complete(t.Context(), question(), nil)
				if err != nil {
					t.Fatal(err)
				}
				return reply
			}
			ask()
			files, err := filepath.Glob(filepath.Join(s.Dir, "*", "*.json"))
			if len(files) != 1 || err != nil {
				t.Fatal(files, err)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(files[0], damage(data), 0o600); err != nil {
				t.Fatal(err)
			}
			if st, err := s.Stats(); st.Damaged != 1 || st.Entries != 0 || err != nil {
				t.Errorf("%+v, %v", st, err)
			}
			if reply := ask(); reply.Cached || notes != 1 {
				t.Errorf("cached %v, %d notes", reply.Cached, notes)
			}
			if reply := ask(); !reply.Cached || notes != 1 {
				t.Errorf("written anew: cached %v, %d notes", reply.Cached, notes)
			}
		})
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := helloModel()
	var g sync.WaitGroup
	for i := range 32 {
		g.Go(func() {
			r := question()
			r.Origin.Trial = i % 4
			s := &Store{Dir: dir, Note: func(text string) { t.Error(text) }} // each like a process of its own
			if reply, err := s.Wrap(m, spec()).Complete(t.Context(), r, nil); err != nil || reply.Content != m.reply.Content {
				t.Errorf("%+v, %v", reply, err)
			}
		})
	}
	g.Wait()
	s := &Store{Dir: dir}
	if st, err := s.Stats(); st.Entries != 4 || st.Tokens != 48 || st.USD != 2 || st.Models["p"] != 4 || err != nil {
		t.Errorf("%+v, %v", st, err)
	}
	if n, err := s.Clear(); n != 4 || err != nil {
		t.Errorf("cleared %d, %v", n, err)
	}
	left, err := os.ReadDir(dir)
	if len(left) > 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestUnwritable: a cache that cannot be written costs money, and not the reply.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Store{Dir: file}
	reply, err := s.Wrap(helloModel(), spec()).Complete(t.Context(), question(), nil)
	if n, why := s.Unkept(); err != nil || reply.Content == "" || n != 1 || why == nil {
		t.Errorf("%+v, %v; %d replies were not kept: %v", reply, err, n, why)
	}
}

// TestFurtherAttempts: a repeated attempt of a step calls the model again, because the first reply would fail again. In
// the next run each attempt gets its own stored reply.
func TestFurtherAttempts(t *testing.T) {
	t.Parallel()
	m := helloModel()
	p := (&Store{Dir: t.TempDir()}).Wrap(m, spec())
	for range 2 {
		for attempt := range 3 {
			req := question()
			req.Origin.Step, req.Origin.Attempt = "x", attempt
			if _, err := p.Complete(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := m.calls.Load(); got != 3 {
		t.Errorf("%d calls, want 3", got)
	}
}
