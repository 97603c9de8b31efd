package judges

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestKeys holds questions against a plain one: only the same question has the same key.
func TestKeys(t *testing.T) {
	t.Parallel()
	plain := asked("hello")
	for _, c := range []struct {
		name   string
		change func(q *grading.Question, at *chat.Origin)
		// same says whether a real and a simulated endpoint take it for the same question.
		same, simulated bool
	}{
		{"nothing", func(*grading.Question, *chat.Origin) {}, true, true},
		{"the vote", func(q *grading.Question, _ *chat.Origin) { q.Vote = 1 }, false, false},
		{"a word", func(q *grading.Question, _ *chat.Origin) { q.Messages[1].Content = "hullo" }, false, false},
		{"a repair", func(q *grading.Question, _ *chat.Origin) {
			q.Messages = append(q.Messages, chat.Message{Role: chat.User, Content: "again"})
		}, false, false},
		{"the schema", func(q *grading.Question, _ *chat.Origin) { q.Schema = nil }, false, false},
		{"a parameter", func(q *grading.Question, _ *chat.Origin) { q.Extra = map[string]any{"top_k": 1} }, false, false},
		{"another trial", func(_ *grading.Question, at *chat.Origin) { at.Trial = 2 }, true, true},
		{"another turn", func(_ *grading.Question, at *chat.Origin) { at.Turn = 2 }, true, false},
		{"another scenario", func(_ *grading.Question, at *chat.Origin) { at.Scenario = "other" }, true, false},
	} {
		for simulated, same := range map[bool]bool{false: c.same, true: c.simulated} {
			m := says("fine")
			p := pool(m, simulated)
			first, err := p.For(chat.Origin{Scenario: "s"}, nil).Ask(t.Context(), grading.JudgeUse{}, plain)
			q, at := asked("hello"), chat.Origin{Scenario: "s"}
			c.change(q, &at)
			second, err2 := p.For(at, nil).Ask(t.Context(), grading.JudgeUse{Judge: "strict"}, q)
			requests := map[bool]int{true: 1, false: 2}[same]
			if err != nil || err2 != nil || first.Key == second.Key != same || len(m.requests) != requests {
				t.Errorf("%s, simulated %v: keys %s and %s after %d requests, %v, %v", c.name, simulated, first.Key, second.Key,
					len(m.requests), err, err2)
			}
			if second.Usage != first.Usage || *second.CostUSD != *first.CostUSD {
				t.Errorf("%s: an answer that is remembered costs %+v", c.name, second)
			}
		}
	}
}

// TestKeysStay: results of earlier versions name the same questions by the same keys.
func TestKeysStay(t *testing.T) {
	t.Parallel()
	spec := &scenario.Provider{Meta: scenario.Meta{ID: "p"}, Type: "openai", BaseURL: "https://b.test", Model: "m"}
	for _, c := range []struct {
		simulated bool
		vote      int
		want      string
	}{
		{false, 0, "6e0c031d65b39cc42a2eed2e650dbf20"}, {false, 2, "1c51d01d0bfecbc38b57ffb2a6a6f1d9"},
		{true, 0, "d54beb31d6847595d42c821b1ee101fd"}, {true, 2, "2c517f5406d23336a09000549ff1f7b9"},
	} {
		q := asked("hello")
		q.Extra = map[string]any{"top_k": 1}
		asks := NewEndpoint(says("fine"), spec, c.simulated).newCall(q, new(int64(5)))
		asks.req.Origin = chat.Origin{
			Scenario: "s", ScenarioAlias: "t", Region: "eu", Turn: 1, Reply: 2, Persona: "p", Judge: "j", Step: "x",
		}
		if got, err := asks.key(c.vote); got.String() != c.want || err != nil {
			t.Errorf("vote %d, simulated %v: got %s, %v, want %s", c.vote, c.simulated, got, err, c.want)
		}
	}
}

func keyOf(n int) (k Key) {
	k[0] = byte(n)
	return k
}

func TestAskedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, over := NewMemory(MemoryLimit), make(chan struct{})
		calls := 0
		var g sync.WaitGroup
		for range 20 {
			g.Go(func() {
				r, _, err := m.reply(t.Context(), keyOf(1), func() (chat.Reply, error) {
					calls++
					<-over
					return chat.Reply{Content: "fine"}, nil
				})
				if r.Content != "fine" || err != nil {
					t.Errorf("got %q, %v", r.Content, err)
				}
			})
		}
		synctest.Wait()
		close(over)
		g.Wait()
		if calls != 1 {
			t.Errorf("asked %d times", calls)
		}
	})
}

// TestLeaderFails has one caller ask, others wait, and the one fail.
func TestLeaderFails(t *testing.T) {
	t.Parallel()
	over := errors.New("over")
	for _, c := range []struct {
		name   string
		cancel bool
		err    error
		calls  int // in all, of four callers
	}{
		{"of something that all would meet", false, &providers.Error{Kind: providers.Transport, Msg: "down"}, 1},
		{"of its own time", false, &providers.Error{Kind: providers.Timeout, Final: true, Msg: "no place"}, 2},
		{"of its own end", true, over, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m, go1 := NewMemory(MemoryLimit), make(chan struct{})
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				calls := 1
				var g sync.WaitGroup
				g.Go(func() {
					_, _, err := m.reply(ctx, keyOf(1), func() (chat.Reply, error) {
						<-go1
						return chat.Reply{}, c.err
					})
					if !errors.Is(err, c.err) {
						t.Errorf("the first got %v", err)
					}
				})
				synctest.Wait()
				for range 3 {
					g.Go(func() {
						r, _, err := m.reply(t.Context(), keyOf(1), func() (chat.Reply, error) {
							calls++
							return chat.Reply{Content: "fine"}, nil
						})
						if c.calls == 1 && !errors.Is(err, c.err) || c.calls > 1 && (err != nil || r.Content != "fine") {
							t.Errorf("another got %q, %v", r.Content, err)
						}
					})
				}
				synctest.Wait()
				if c.cancel {
					cancel(over)
				}
				close(go1)
				g.Wait()
				if calls != c.calls {
					t.Errorf("asked %d times, want %d", calls, c.calls)
				}
				if _, _, err := m.reply(t.Context(), keyOf(1), func() (chat.Reply, error) { return chat.Reply{}, nil }); err != nil {
					t.Errorf("an error was remembered: %v", err)
				}
			})
		})
	}
}

func TestWaiterLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, over := NewMemory(MemoryLimit), make(chan struct{})
		var g sync.WaitGroup
		g.Go(func() {
			_, _, _ = m.reply(t.Context(), keyOf(1), func() (chat.Reply, error) { // its reply is nobody's concern here
				<-over
				return chat.Reply{}, nil
			})
		})
		synctest.Wait()
		why := errors.New("out of time")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if _, _, err := m.reply(ctx, keyOf(1), nil); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		close(over)
		g.Wait()
	})
}

func TestPanicLeavesNobodyWaiting(t *testing.T) {
	t.Parallel()
	m := NewMemory(MemoryLimit)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_, _, _ = m.reply(t.Context(), keyOf(1), func() (chat.Reply, error) { panic("boom") })
	}()
	if r, _, err := m.reply(t.Context(), keyOf(1), func() (chat.Reply, error) {
		return chat.Reply{Content: "fine"}, nil
	}); err != nil || r.Content != "fine" {
		t.Errorf("got %q, %v", r.Content, err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := NewMemory(10 * (perReply + 100))
	calls := 0
	ask := func(n int) {
		t.Helper()
		if _, _, err := m.reply(t.Context(), keyOf(n), func() (chat.Reply, error) {
			calls++
			return chat.Reply{Content: strings.Repeat("x", 100)}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 30 {
		ask(n)
	}
	if len(m.replies) != 10 || len(m.order) != 10 || m.bytes != m.limit {
		t.Errorf("%d replies of %d bytes are held", len(m.replies), m.bytes)
	}
	for n := 29; n >= 19; n-- { // the last of them is forgotten
		ask(n)
	}
	if calls != 31 {
		t.Errorf("asked %d times", calls)
	}
}

// TestAnswersAreToldApart: a question that had to be asked twice was paid for twice.
func TestAnswersAreToldApart(t *testing.T) {
	t.Parallel()
	m, calls := NewMemory(perReply+4), 0
	ask := func(n int) string {
		t.Helper()
		_, name, err := m.reply(t.Context(), keyOf(n), func() (chat.Reply, error) {
			calls++
			return chat.Reply{Content: "fine"}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	first := ask(1)
	if again := ask(1); again != first || calls != 1 {
		t.Errorf("%s and %s after %d calls", first, again, calls)
	}
	ask(2) // the first is forgotten
	if again := ask(1); again != first+"-2" || calls != 3 {
		t.Errorf("the second answer is %s, the first %s, after %d calls", again, first, calls)
	}
	if key, n, ok := parseKey(first + "-2"); key != keyOf(1) || n != 2 || !ok {
		t.Errorf("read as %s, %d, %v", key, n, ok)
	}
	for _, bad := range []string{"", "x", first + "-", first + "-0", first + "-x", first + "-2-3", first[1:], first[1:] + "z"} {
		if _, _, ok := parseKey(bad); ok {
			t.Errorf("%q is a key", bad)
		}
	}
}

// TestRecall: what a judge said in a trial that is kept stands, where it can.
func TestRecall(t *testing.T) {
	t.Parallel()
	said := result.Judgement{
		Key: keyOf(1).nth(2), Reply: `{"score": 1}`, Score: new(1.0), CostUSD: new(0.25), Model: "m", AnsweredBy: "m-2026",
		Usage: chat.Usage{InputTokens: 3, OutputTokens: 4}, LatencyMS: 5,
	}
	for _, c := range []struct {
		name   string
		change func(j *result.Judgement)
		anew   bool
		asked  bool
		key    string
	}{
		{"as it is", func(*result.Judgement) {}, false, false, keyOf(1).nth(2)},
		{"of an earlier run", func(j *result.Judgement) { j.Cached = true }, false, false, keyOf(1).nth(2)},
		{"all are asked again", func(*result.Judgement) {}, true, true, keyOf(1).nth(3)},
		{"not readable", func(j *result.Judgement) { j.Score = nil }, false, true, keyOf(1).nth(3)},
		{"with a hole", func(j *result.Judgement) { j.Reply = "it said [redacted]" }, false, true, keyOf(1).nth(3)},
		{"without a key", func(j *result.Judgement) { j.Key = "" }, false, true, keyOf(1).nth(1)},
		{"with a strange key", func(j *result.Judgement) { j.Key = "../x" }, false, true, keyOf(1).nth(1)},
		{"that took nothing", func(j *result.Judgement) { j.Usage, j.CostUSD = chat.Usage{}, nil }, false, true, keyOf(1).nth(1)},
	} {
		m, j, asked := NewMemory(MemoryLimit), said, false
		c.change(&j)
		m.Recall(&j, c.anew)
		r, key, err := m.reply(t.Context(), keyOf(1), func() (chat.Reply, error) {
			asked = true
			return chat.Reply{Content: j.Reply}, nil
		})
		if err != nil || asked != c.asked || key != c.key || r.Content != j.Reply {
			t.Errorf("%s: %+v, %s, asked %v, %v", c.name, r, key, asked, err)
		}
		if !asked && (r.Usage != j.Usage || *r.CostUSD != 0.25 || r.LatencyMS != 5 || r.Cached != j.Cached ||
			r.Model != "m-2026") {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

func BenchmarkRemembered(b *testing.B) {
	p := pool(says("fine"), false).For(chat.Origin{}, nil)
	q := asked(strings.Repeat("A long conversation. ", 200))
	for n := range b.N {
		if _, err := p.Ask(b.Context(), grading.JudgeUse{}, q); err != nil {
			b.Fatal(fmt.Errorf("%d: %w", n, err))
		}
	}
}
