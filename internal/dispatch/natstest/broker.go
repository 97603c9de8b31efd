// Package natstest starts a real NATS broker for tests, with TCP, JetStream and files.
package natstest

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/arena-evals/arena/internal/hang"
)

// Broker is a NATS broker. It keeps its port and its files when it is stopped and started again.
type Broker struct {
	options server.Options
	running *server.Server
}

// Start starts a broker on a free port that keeps its files in dir. Each of the functions may change its options.
func Start(dir string, change ...func(*server.Options)) (*Broker, error) {
	b := &Broker{options: server.Options{
		Host: "127.0.0.1", Port: freePort(), JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true,
	}}
	for _, f := range change {
		f(&b.options)
	}
	err := b.Start()
	for range 3 { // another process may have taken the port
		if err == nil {
			break
		}
		b.options.Port = freePort()
		err = b.Start()
	}
	return b, err
}

// Command has a broker take the words of its command line, but for the port and the folder of its files, which have to
// be named there.
func Command(args []string) (func(*server.Options), error) {
	nobody, flags := func() {}, flag.NewFlagSet("nats-server", flag.ContinueOnError)
	said, err := server.ConfigureOptions(flags, args, nobody, nobody, nobody)
	if err != nil {
		return nil, err
	}
	if said.StoreDir == "" || said.Port == 0 {
		return nil, fmt.Errorf("%q names no folder or no port", args)
	}
	return func(o *server.Options) { o.JetStream = said.JetStream }, nil
}

// freePort finds a port that stays free while the broker is down: below the range of ephemeral ports.
func freePort() int {
	const first, count = 10_240, 20_000
	for {
		port := first + rand.N(count)
		if ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			_ = ln.Close() // nobody has connected
			return port
		}
	}
}

// New starts a broker that stops at the end of the test.
func New(t testing.TB, change ...func(*server.Options)) *Broker {
	t.Helper()
	b, err := Start(t.TempDir(), change...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	return b
}

// Start starts a broker that was stopped.
func (b *Broker) Start() error {
	options := b.options // the server changes them
	s, err := server.NewServer(&options)
	if err != nil {
		return err
	}
	broken := make(fatalLog, 1)
	s.SetLogger(broken, false, false)
	go s.Start()
	if err := broken.waitReady(s); err != nil {
		s.Shutdown()
		s.WaitForShutdown()
		return err
	}
	b.running = s
	return nil
}

// fatalLog is a log that keeps the first fatal error of a broker, such as a port that is in use.
type fatalLog chan error

// waitReady waits until a broker accepts connections, or returns its fatal error.
func (g fatalLog) waitReady(s *server.Server) error {
	for until := time.Now().Add(hang.Guard); time.Now().Before(until); {
		if s.ReadyForConnections(look) {
			return nil
		}
		select {
		case err := <-g:
			return err
		default:
		}
	}
	return errors.New("the broker does not start")
}

// look is how often the log is looked at while the broker starts.
const look = 100 * time.Millisecond

func (g fatalLog) Fatalf(format string, v ...any) {
	select {
	case g <- fmt.Errorf(format, v...):
	default:
	}
}

func (fatalLog) Noticef(string, ...any) {}
func (fatalLog) Warnf(string, ...any)   {}
func (fatalLog) Errorf(string, ...any)  {}
func (fatalLog) Debugf(string, ...any)  {}
func (fatalLog) Tracef(string, ...any)  {}

// Stop stops the broker, if it runs.
func (b *Broker) Stop() {
	if b.running != nil {
		b.running.Shutdown()
		b.running.WaitForShutdown()
		b.running = nil
	}
}

// Wipe stops the broker and starts it without what it had.
func (b *Broker) Wipe() error {
	b.Stop()
	if err := os.RemoveAll(b.options.StoreDir); err != nil {
		return err
	}
	return b.Start()
}

// Address is its host and port.
func (b *Broker) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(b.options.Port)) }

// URL is the URL of the broker.
func (b *Broker) URL() string { return fmt.Sprintf("nats://%s", b.Address()) }
