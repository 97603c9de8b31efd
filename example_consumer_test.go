package arena_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/arena-evals/arena"
)

// Delivery is a message as a queue hands it out: a record of Kafka, a message of SQS.
type Delivery struct {
	ID    string // the same each time it is delivered
	Body  []byte // a conversation that is over
	Tries int    // how often it was delivered, with this time
}

// Queue is what the consumer needs of a client of Kafka, SQS or any other queue.
type Queue interface {
	// Receive waits for a message. One that is not acknowledged comes again.
	Receive(ctx context.Context) (*Delivery, error)
	Ack(ctx context.Context, d *Delivery) error              // commits the offset, deletes the message
	Bury(ctx context.Context, d *Delivery, why string) error // puts it into the queue of dead letters
}

// Verdicts are where results are kept, under the id of the message: writing twice leaves one.
type Verdicts interface {
	Put(ctx context.Context, id string, e *arena.Evaluation) error
}

// Consumer evaluates the conversations of a queue.
type Consumer struct {
	Evaluator *arena.Evaluator
	Queue     Queue
	Verdicts  Verdicts
	MaxTries  int
}

// Run ends with the queue, or with ctx; what was in hand then comes again.
func (c *Consumer) Run(ctx context.Context) error {
	for {
		d, err := c.Queue.Receive(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.handle(ctx, d); err != nil {
			return err
		}
	}
}

// handle acknowledges a message when its verdict is written, or when it is a dead letter, and never before.
func (c *Consumer) handle(ctx context.Context, d *Delivery) error {
	verdict, err := c.evaluate(ctx, d)
	if err == nil {
		err = c.Verdicts.Put(ctx, d.ID, verdict)
	}
	var poison *json.SyntaxError
	switch {
	case ctx.Err() != nil: // it says nothing about the message
		return ctx.Err()
	case err == nil:
		return c.Queue.Ack(ctx, d)
	case !errors.As(err, &poison) && d.Tries < c.MaxTries:
		return nil // not acknowledged: it comes again
	}
	if err := c.Queue.Bury(ctx, d, err.Error()); err != nil {
		return err
	}
	return c.Queue.Ack(ctx, d)
}

func (c *Consumer) evaluate(ctx context.Context, d *Delivery) (*arena.Evaluation, error) {
	var talk struct {
		Session  string          `json:"session"`
		Messages []arena.Message `json:"messages"` // {"Role": "user", "Text": "…"}
	}
	if err := json.Unmarshal(d.Body, &talk); err != nil {
		return nil, err
	}
	verdict, err := c.Evaluator.Evaluate(ctx, arena.Conversation{Session: talk.Session, Messages: talk.Messages})
	if err == nil && (verdict.Status == arena.Errored || verdict.Status == arena.Cancelled) {
		err = fmt.Errorf("could not be judged: %s", verdict.Status) // a judge that is down may come back
	}
	return verdict, err
}

// list is a queue in memory.
type list struct {
	waiting []*Delivery
	dead    map[string]string
}

func (l *list) Receive(ctx context.Context) (*Delivery, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(l.waiting) == 0 {
		return nil, io.EOF
	}
	d := l.waiting[0]
	d.Tries++
	l.waiting = append(l.waiting[1:], d) // until it is acknowledged
	return d, nil
}

func (l *list) Ack(_ context.Context, d *Delivery) error {
	for i := range l.waiting {
		if l.waiting[i] == d {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			break
		}
	}
	return nil
}

func (l *list) Bury(_ context.Context, d *Delivery, why string) error {
	l.dead[d.ID] = why
	return nil
}

// shelf keeps verdicts in memory.
type shelf map[string]*arena.Evaluation

func (s shelf) Put(_ context.Context, id string, e *arena.Evaluation) error {
	s[id] = e
	return nil
}

// A consumer of Kafka, SQS or any other queue evaluates conversations. What it does not get done comes again.
func ExampleEvaluator_consumer() {
	evaluator, err := arena.NewEvaluator(arena.EvaluatorOptions{Paths: []string{"testdata/facade/tone.pack.json"}})
	if err != nil {
		log.Fatal(err)
	}
	defer evaluator.Close()
	verdicts, queue := shelf{}, &list{dead: map[string]string{}, waiting: []*Delivery{
		{ID: "m-1", Body: []byte(`{"session": "7f3a", "messages": [{"Role": "user", "Text": "Where is my teapot?"},
			{"Role": "assistant", "Text": "It comes tomorrow, thank you for waiting."}]}`)},
		{ID: "m-2", Body: []byte(`{"session": `)},
	}}
	consumer := &Consumer{Evaluator: evaluator, Queue: queue, Verdicts: verdicts, MaxTries: 3}
	if err := consumer.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(verdicts["m-1"].Status, queue.dead["m-2"])
	// Output:
	// passed unexpected end of JSON input
}
