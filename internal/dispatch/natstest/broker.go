// Package natstest starts a real broker for tests: TCP, JetStream, files.
package natstest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/arena-evals/arena/internal/hang"
)

// Broker is a broker of its own. It keeps its port and its files when it is stopped and started again.
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
	for range 3 { // somebody else may have been faster at the port
		if err == nil {
			break
		}
		b.options.Port = freePort()
		err = b.Start()
	}
	return b, err
}

// freePort finds a port that stays free while the broker is down: below those that systems give to who asks for any.
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

// New is Start for the time of a test.
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
	broken := make(grave, 1)
	s.SetLogger(broken, false, false)
	go s.Start()
	if err := broken.orReady(s); err != nil {
		s.Shutdown()
		s.WaitForShutdown()
		return err
	}
	b.running = s
	return nil
}

// grave is a log that keeps the first thing that a broker does not survive, such as a port that somebody else has.
type grave chan error

// orReady waits until a broker takes connections, or says why it never will.
func (g grave) orReady(s *server.Server) error {
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

// look is how long a broker is waited for before its log is looked at.
const look = 100 * time.Millisecond

func (g grave) Fatalf(format string, v ...any) {
	select {
	case g <- fmt.Errorf(format, v...):
	default:
	}
}

func (grave) Noticef(string, ...any) {}
func (grave) Warnf(string, ...any)   {}
func (grave) Errorf(string, ...any)  {}
func (grave) Debugf(string, ...any)  {}
func (grave) Tracef(string, ...any)  {}

// Stop stops the broker, if it runs.
func (b *Broker) Stop() {
	if b.running != nil {
		b.running.Shutdown()
		b.running.WaitForShutdown()
		b.running = nil
	}
}

// Address is its host and port.
func (b *Broker) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(b.options.Port)) }

// URL is where to find it.
func (b *Broker) URL() string { return fmt.Sprintf("nats://%s", b.Address()) }
