package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/process"
)

// maxNoise is how many lines a program may write that are not messages, such as banners and logs.
const maxNoise = 1000

const (
	discover    = "server/discover"
	listChanged = "notifications/tools/list_changed"
)

// pipe is a link to a program, with one message per line.
type pipe struct {
	name    string // of the program
	running *process.Running
	note    func(format string, args ...any)
	changed func() // called when the list of tools has changed
	// unknown is how long a request of newer protocol versions may stay unanswered until the method counts as unknown:
	// small servers drop requests that they do not know.
	unknown time.Duration

	writing  chan struct{} // holds a token while nothing is written
	incoming chan jsonrpc.Message
	gone     chan struct{} // closed when no more messages come
	closed   chan struct{} // closed when the session is closed
	leave    func()
	ended    sync.WaitGroup

	mu       sync.Mutex
	probe    jsonrpc.ID // id of the request that asks for newer versions, while it has no answer
	timer    *time.Timer
	noise    int
	received bool  // a message has come
	lastID   int64 // the highest id of a request
	strayed  bool  // an answer to no request has come
	err      error
}

// newPipe starts a program.
func newPipe(c *process.Command, unknown time.Duration, note func(format string, args ...any)) (*pipe, error) {
	running, err := c.Start()
	if err != nil {
		return nil, err
	}
	p := &pipe{
		name: c.Path, running: running, note: note, changed: func() {}, unknown: unknown,
		writing: make(chan struct{}, 1), incoming: make(chan jsonrpc.Message), gone: make(chan struct{}),
		closed: make(chan struct{}),
	}
	p.writing <- struct{}{}
	p.leave = sync.OnceFunc(func() { close(p.closed) })
	p.ended.Go(p.listen)
	return p, nil
}

// Connect implements sdk.Transport.
func (p *pipe) Connect(context.Context) (sdk.Connection, error) { return p, nil }

// SessionID implements sdk.Connection.
func (*pipe) SessionID() string { return "" }

// Read implements sdk.Connection.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-p.incoming:
		return m, nil
	case <-p.gone:
	case <-p.closed:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, io.EOF
}

// Write implements sdk.Connection. A program that does not read its input cannot be used any more: part of a message
// may be written.
func (p *pipe) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-p.writing:
	case <-ctx.Done():
		return ctx.Err()
	case <-p.closed:
		return io.ErrClosedPipe
	}
	p.await(m)
	wrote := make(chan error, 1)
	go func() { //nolint:contextcheck // a message that was begun is ended: the program serves others too
		wrote <- p.send(append(data, '\n'))
		p.writing <- struct{}{}
	}()
	select {
	case err := <-wrote:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send writes a message. A program that takes no more messages may say how it ended, and is given up where it does not.
func (p *pipe) send(line []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), greeting)
	defer cancel()
	err := p.running.Write(ctx, line)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		p.fail(errors.New("it does not read what it is sent"))
		p.leave()
		return err
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-p.gone:
	case <-limit.C:
		p.fail(errors.New("it closed its input"))
		p.leave()
	}
	return err
}

// onChange sets the function to call when the list of tools changes.
func (p *pipe) onChange(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = f
}

// Close implements sdk.Connection.
func (p *pipe) Close() error {
	p.leave()
	return nil
}

// lost implements link.
func (p *pipe) lost() bool {
	select {
	case <-p.gone:
		return true
	case <-p.closed:
		return true
	default:
		return false
	}
}

// shut implements link.
func (p *pipe) shut() {
	p.leave()
	p.running.Stop(patience)
	p.ended.Wait()
	p.writing <- <-p.writing // waits until nothing is written any more
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
}

// blame implements link.
func (p *pipe) blame(err error) error {
	if known := p.problem(); known != nil {
		err = known
	}
	return process.Ended(p.name, err, p.running.Stderr())
}

func (p *pipe) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

func (p *pipe) problem() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// hasOutput reports whether the program has written a message.
func (p *pipe) hasOutput() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.received
}

// listen reads until the program ends or writes something invalid.
func (p *pipe) listen() {
	defer close(p.gone)
	lines := bufio.NewScanner(p.running)
	lines.Buffer(nil, maxMessage)
	for p.problem() == nil && lines.Scan() {
		for _, m := range p.messages(lines.Bytes()) {
			select {
			case p.incoming <- m:
			case <-p.closed:
				_, _ = io.Copy(io.Discard, p.running) // so that the program can write until it ends
				return
			}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		p.fail(fmt.Errorf("it wrote a line of more than %d MB", maxMessage>>20))
	}
	p.fail(p.end())
}

// end returns how the program ended, after its output was closed or became invalid.
func (p *pipe) end() error {
	wait := patience
	if p.problem() != nil {
		wait = 0
	}
	if !p.running.Stop(wait) {
		return errors.New("it closed its output")
	}
	if err := p.running.Err(); err != nil {
		return fmt.Errorf("it ended: %w", err)
	}
	return errors.New("it ended without an error")
}

// messages decodes the messages on a line, mostly one.
func (p *pipe) messages(line []byte) []jsonrpc.Message {
	line = bytes.TrimSpace(chat.WithoutBOM(line))
	if len(line) == 0 {
		return nil
	}
	var batch []json.RawMessage
	if line[0] != '[' || json.Unmarshal(line, &batch) != nil {
		batch = []json.RawMessage{line}
	}
	var list []jsonrpc.Message
	for _, one := range batch {
		if m := p.message(one); m != nil {
			list = append(list, m)
		}
	}
	return list
}

// message decodes one message; nil: it is none, or is not needed.
func (p *pipe) message(data []byte) jsonrpc.Message {
	clean := data
	if !utf8.Valid(data) {
		clean = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	id, why := misanswered(clean)
	if why != "" {
		clean = failing(id, why, clean)
	}
	m, err := jsonrpc.DecodeMessage(bytes.Clone(clean))
	if err != nil {
		p.addNoise(data)
		return nil
	}
	if answer, ok := m.(*jsonrpc.Response); ok && p.strays(answer.ID) {
		p.note("it answers with the id %v, which no request has: the answer is of no use", answer.ID.Raw())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.received = true
	switch m := m.(type) {
	case *jsonrpc.Request:
		if m.Method == listChanged {
			p.changed()
		}
	case *jsonrpc.Response:
		if m.ID == p.probe {
			p.probe = jsonrpc.ID{}
			p.timer.Stop()
		}
		if why != "" {
			return &jsonrpc.Response{ID: m.ID, Error: errors.New(why)}
		}
		if len(clean) != len(data) || !bytes.Equal(clean, data) {
			return &jsonrpc.Response{ID: m.ID, Error: errors.New("its answer is not valid UTF-8: " + process.Excerpt(data))}
		}
		if m.Error == nil && string(bytes.TrimSpace(m.Result)) == "null" {
			return &jsonrpc.Response{ID: m.ID, Error: errors.New("its answer has the result null, which is none")}
		}
		if key, twice := jsonvalue.KeyTwiceAsWritten(data); twice {
			return &jsonrpc.Response{ID: m.ID, Error: errors.New(keyTwice(key))}
		}
		if why := misnamed(m.Result); why != "" {
			return &jsonrpc.Response{ID: m.ID, Error: errors.New(why)}
		}
		m.Result = exact(m.Result)
	}
	return m
}

// strays reports whether no request has an id; once is enough.
func (p *pipe) strays(id jsonrpc.ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	number, ok := id.Raw().(int64) // requests are numbered from 1
	if ok && number >= 1 && number <= p.lastID || p.strayed {
		return false
	}
	p.strayed = true
	return true
}

// addNoise counts a line that is not a JSON-RPC message.
func (p *pipe) addNoise(line []byte) {
	p.mu.Lock()
	p.noise++
	n := p.noise
	p.mu.Unlock()
	switch {
	case n == 1:
		p.note("it writes lines that are no messages, the first of them %s", process.Excerpt(line))
	case n > maxNoise:
		p.fail(fmt.Errorf("it wrote more than %d lines that are no messages, the last of them %s", maxNoise,
			process.Excerpt(line)))
	}
}

// await notes the id of a request, and starts the time limit of that for newer protocol versions.
func (p *pipe) await(m jsonrpc.Message) {
	req, ok := m.(*jsonrpc.Request)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if number, ok := req.ID.Raw().(int64); ok {
		p.lastID = max(p.lastID, number)
	}
	if req.Method != discover {
		return
	}
	p.probe = req.ID
	p.timer = time.AfterFunc(p.unknown, func() {
		p.mu.Lock()
		late := p.probe == req.ID
		p.probe = jsonrpc.ID{}
		p.mu.Unlock()
		if !late {
			return
		}
		answer := &jsonrpc.Response{ID: req.ID, Error: &jsonrpc.Error{
			Code: jsonrpc.CodeMethodNotFound, Message: "no answer to " + discover,
		}}
		select {
		case p.incoming <- answer:
		case <-p.gone:
		case <-p.closed:
		}
	})
}
