package cli_test

import (
	"context"
	"strings"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
)

// broker is the NATS broker of a script.
type broker struct{ *natstest.Broker }

type brokerKey struct{}

func brokerOf(ts *testscript.TestScript) *broker { return ts.Value(brokerKey{}).(*broker) }

// address is what `exits` replaces with nats://broker.
func (b *broker) address() []string {
	if b.Broker == nil {
		return nil
	}
	return []string{b.URL(), "nats://broker", b.Address(), "broker"}
}

// cmdBroker is the command broker of scripts:
//
//	broker start             starts a real broker, and sets NATS to its URL; once more after stop, with what it had
//	broker stop
//	broker stream NAME subject    makes a stream
//	broker publish subject file   stores each line of a file in the stream that takes the subject
func cmdBroker(ts *testscript.TestScript, neg bool, args []string) {
	b := brokerOf(ts)
	switch {
	case neg || len(args) == 0:
		ts.Fatalf("usage: broker start, broker stop, broker publish subject file")
	case args[0] == "start" && b.Broker == nil:
		started, err := natstest.Start(ts.MkAbs(".broker"))
		ts.Check(err)
		ts.Defer(started.Stop)
		b.Broker = started
		ts.Setenv("NATS", started.URL())
	case args[0] == "start":
		ts.Check(b.Start())
	case args[0] == "stop":
		b.Stop()
	case args[0] == "stream" && len(args) == 3:
		ts.Check(b.use(func(ctx context.Context, js jetstream.JetStream) error {
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: args[1], Subjects: []string{args[2]}})
			return err
		}))
	case args[0] == "publish" && len(args) == 3:
		ts.Check(b.publish(args[1], ts.ReadFile(args[2])))
	default:
		ts.Fatalf("broker %s is not known", strings.Join(args, " "))
	}
}

func (b *broker) publish(subject, text string) error {
	return b.use(func(ctx context.Context, js jetstream.JetStream) error {
		for line := range strings.Lines(text) {
			if _, err := js.Publish(ctx, subject, []byte(strings.TrimSuffix(line, "\n"))); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *broker) use(do func(context.Context, jetstream.JetStream) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), hang.Guard)
	defer cancel()
	conn, err := natsgo.Connect(b.URL())
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	return do(ctx, js)
}
