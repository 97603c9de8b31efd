package arena_test

import (
	"context"
	"errors"
	"testing"

	"github.com/arena-evals/arena"
)

// flaky keeps verdicts, and breaks where it is told to: before it has written, or behind that.
type flaky struct {
	shelf
	breaks map[string]error // by id, once
	behind bool
	end    context.CancelFunc // nil: nothing ends
}

func (f *flaky) Put(ctx context.Context, id string, e *arena.Evaluation) error {
	err := f.breaks[id]
	delete(f.breaks, id)
	if f.end != nil {
		f.end()
		return ctx.Err()
	}
	if err != nil && !f.behind {
		return err
	}
	return errors.Join(f.shelf.Put(ctx, id, e), err)
}

// TestConsumer: every conversation has one verdict in the end, whatever breaks on the way, a poisoned message keeps
// nobody waiting, and what was not written is not acknowledged.
func TestConsumer(t *testing.T) {
	t.Parallel()
	evaluator, err := arena.NewEvaluator(arena.EvaluatorOptions{Paths: []string{"testdata/facade/tone.pack.json"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(evaluator.Close)
	const good = `{"session": "s", "messages": [{"Role": "user", "Text": "hi"}, {"Role": "assistant", "Text": "thank you"}]}`
	once := func() map[string]error { return map[string]error{"a": errors.New("the store is away")} }
	always := `{"session": "s", "messages": [{"Role": "nobody", "Text": "hi"}]}`
	for name, c := range map[string]struct {
		bodies  map[string]string
		to      *flaky
		written int
		dead    []string
		tries   int // of a
	}{
		"all is well":               {map[string]string{"a": good, "b": good}, &flaky{}, 2, nil, 1},
		"not written":               {map[string]string{"a": good, "b": good}, &flaky{breaks: once()}, 2, nil, 2},
		"written, not acknowledged": {map[string]string{"a": good, "b": good}, &flaky{breaks: once(), behind: true}, 2, nil, 2},
		"no JSON":                   {map[string]string{"a": "{", "b": good}, &flaky{}, 1, []string{"a"}, 1},
		"no conversation":           {map[string]string{"a": always, "b": good}, &flaky{}, 1, []string{"a"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.to.shelf = shelf{}
			queue := &list{dead: map[string]string{}}
			first := &Delivery{ID: "a", Body: []byte(c.bodies["a"])}
			queue.waiting = []*Delivery{first, {ID: "b", Body: []byte(c.bodies["b"])}}
			consumer := &Consumer{Evaluator: evaluator, Queue: queue, Verdicts: c.to, MaxTries: 3}
			if err := consumer.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(c.to.shelf) != c.written || len(queue.waiting) != 0 || first.Tries != c.tries {
				t.Errorf("%d written, %d waiting, %d tries", len(c.to.shelf), len(queue.waiting), first.Tries)
			}
			if len(queue.dead) != len(c.dead) || len(c.dead) == 1 && queue.dead[c.dead[0]] == "" {
				t.Errorf("dead letters: %v", queue.dead)
			}
		})
	}
	t.Run("the consumer ends", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		queue := &list{dead: map[string]string{}, waiting: []*Delivery{{ID: "a", Body: []byte(good), Tries: 2}}}
		consumer := &Consumer{Evaluator: evaluator, Queue: queue, Verdicts: &flaky{shelf: shelf{}, end: cancel}, MaxTries: 3}
		if err := consumer.Run(ctx); !errors.Is(err, context.Canceled) || len(queue.waiting) != 1 || len(queue.dead) != 0 {
			t.Errorf("%v, %d waiting, dead %v", err, len(queue.waiting), queue.dead)
		}
	})
}
