package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/generate"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/spans"
	"github.com/arena-evals/arena/internal/spans/receiver"
)

// captureKind is the first value in a file of arena capture. It identifies the file.
const captureKind = "capture"

// How a captured program ended.
const (
	endedItself         = "itself"
	endedTimeout        = "timeout"
	endedTooMuchOutput  = "too-much-output"
	endedOutputHeldOpen = "output-held-open"
	endedKilled         = "killed"
	endedInterrupted    = "interrupted"
	endedNotStarted     = "not-started"
)

// capture is one run of a program, as its file stores it.
type capture struct {
	Kind    string    `json:"kind"`
	Name    string    `json:"name,omitempty"`
	Command []string  `json:"command"` // without the input
	Input   string    `json:"input"`
	Env     []string  `json:"env,omitempty"` // names of variables that were passed on
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	Ended   string    `json:"ended"`
	Status  *int      `json:"exit_status,omitempty"` // if the program ended by itself
	How     string    `json:"how"`                   // Ended and Status, for people
	Stdout  string    `json:"stdout"`
	// Bytes is stdout where it is not valid UTF-8.
	Bytes  []byte         `json:"stdout_base64,omitempty"`
	Stderr string         `json:"stderr,omitempty"` // the end of stderr
	Spans  []capturedSpan `json:"spans"`
	// Models is the number of model calls in the spans.
	Models int            `json:"model_calls"`
	Calls  []capturedCall `json:"tool_calls"`
	// TracesLost says why spans are missing; "": none are.
	TracesLost string `json:"traces_lost,omitempty"`
	// SecretsRemoved says that a secret was removed.
	SecretsRemoved bool `json:"secrets_removed,omitempty"`
	// CommandChanged says that a secret was removed from the command or the input, so that nobody can run it again.
	CommandChanged bool     `json:"command_changed,omitempty"`
	Notes          []string `json:"notes,omitempty"`
}

type capturedSpan struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Depth  int      `json:"depth"`
	Model  string   `json:"model,omitempty"`
	MS     *float64 `json:"ms,omitempty"`
	In     int      `json:"input_tokens,omitempty"`
	Out    int      `json:"output_tokens,omitempty"`
	USD    *float64 `json:"cost_usd,omitempty"`
	Output string   `json:"output,omitempty"`
	Error  string   `json:"error,omitempty"`
}

type capturedCall struct {
	Name   string `json:"name"`
	Args   string `json:"args,omitempty"` // as in the span, mostly a JSON object
	Result string `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

func (c *capture) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// end sets how the program ended.
func (c *capture) end(err error, limit time.Duration) {
	exited, isExit := errors.AsType[*process.ExitError](err)
	switch {
	case err == nil:
		c.Ended, c.How, c.Status = endedItself, "exit status 0", new(int)
	case isExit:
		c.Ended, c.How = endedKilled, exited.State
		if code, found := strings.CutPrefix(exited.State, "exit status "); found {
			if n, err := strconv.Atoi(code); err == nil {
				c.Ended, c.Status = endedItself, &n
			}
		}
	case errors.Is(err, errCaptureTimeout):
		c.Ended, c.How = endedTimeout, fmt.Sprintf("it was ended, because it did not end within %s (--timeout)", limit)
	case errors.Is(err, process.ErrTooMuchOutput):
		c.Ended, c.How = endedTooMuchOutput, "it was ended, because "+err.Error()
	case errors.Is(err, process.ErrOutputHeldOpen):
		c.Ended, c.How = endedOutputHeldOpen, err.Error()
	default:
		c.Ended, c.How = endedNotStarted, err.Error()
	}
}

// print takes the output of the program. Bytes that are not valid UTF-8 are kept, with a text in which U+FFFD stands
// for them.
func (c *capture) print(out process.Output) {
	c.Stdout, c.Stderr = string(out.Stdout), strings.ToValidUTF8(string(out.Stderr), "\uFFFD")
	switch {
	case !utf8.Valid(out.Stdout):
		c.Bytes, c.Stdout = out.Stdout, strings.ToValidUTF8(c.Stdout, "\uFFFD")
		c.note("it printed bytes that are not valid UTF-8")
	case bytes.IndexByte(out.Stdout, 0) >= 0:
		c.note("it printed NUL characters")
	}
}

// scrub removes secrets from all texts.
func (c *capture) scrub(clean func(string) string) {
	texts := []*string{&c.Input}
	for i := range c.Command {
		texts = append(texts, &c.Command[i])
	}
	texts = append(texts, &c.Stdout, &c.Stderr, &c.How, &c.TracesLost)
	for i := range c.Spans {
		s := &c.Spans[i]
		texts = append(texts, &s.Name, &s.Model, &s.Output, &s.Error)
	}
	for i := range c.Calls {
		call := &c.Calls[i]
		texts = append(texts, &call.Name, &call.Args, &call.Result, &call.Error)
	}
	for i := range c.Notes {
		texts = append(texts, &c.Notes[i])
	}
	for i, text := range texts {
		if cleaned := clean(*text); cleaned != *text {
			*text, c.SecretsRemoved = cleaned, true
			c.CommandChanged = c.CommandChanged || i <= len(c.Command)
		}
	}
	if c.SecretsRemoved {
		c.Bytes = nil // secrets in these bytes could not be found
		c.note("secrets were taken out of what is kept")
	}
}

// write writes the file into a folder under an unused name, and returns its path.
func (c *capture) write(dir string) (string, error) {
	if err := plainfile.MakeDir(dir); err != nil {
		return "", err
	}
	base := c.id()
	path := filepath.Join(dir, base+".json")
	for n := 2; exists(path); n++ {
		path = filepath.Join(dir, fmt.Sprintf("%s-%d.json", base, n))
	}
	return path, harness.WriteAtomic(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(c)
	})
}

// id is the name of the capture.
func (c *capture) id() string {
	words := c.Name
	if words == "" {
		words = filepath.Base(c.Command[0])
		if len(c.Command) > 1 {
			words += " " + filepath.Base(c.Command[1])
		}
	}
	return new(generate.Names).Unique(words, "capture")
}

// startsCapture matches the start of a file of arena capture.
var startsCapture = regexp.MustCompile(`^\s*\{\s*"kind":\s*"capture"`)

// isCapture reports whether a file is one of arena capture. It is false for an unreadable file, which other code
// reports.
func isCapture(path string) bool {
	f, err := plainfile.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	start, _ := io.ReadAll(io.LimitReader(f, 200))
	return startsCapture.Match(start)
}

func readCapture(path string) (*capture, error) {
	data, err := plainfile.Read(path)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var c capture
	if err := dec.Decode(&c); err != nil {
		return nil, fmt.Errorf("%s is no whole capture: %w\ncapture it again", path, err)
	}
	if len(c.Command) == 0 || c.Input == "" || c.Ended == "" {
		return nil, fmt.Errorf("%s is no whole capture: command, input or ended is missing\ncapture it again", path)
	}
	return &c, nil
}

// traceIntake receives the spans of a program: over the network, and from a file.
type traceIntake struct {
	dir    string
	server *receiver.Server
	inbox  *receiver.Inbox
}

// drainTime is how long to wait for the last spans of a program that ended.
const drainTime = 2 * time.Second

func openTraceIntake(ctx context.Context, program string) (*traceIntake, error) {
	dir, err := os.MkdirTemp("", "arena-traces-")
	if err != nil {
		return nil, fmt.Errorf("no folder for the traces of %s: %w", program, err)
	}
	server, err := receiver.Listen(ctx)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &traceIntake{dir, server, server.Open("capture")}, nil
}

func (t *traceIntake) env() []string {
	return append(t.inbox.Env(200*time.Millisecond), "ARENA_TRACE_DIR="+t.dir, "KENSA_TRACE_DIR="+t.dir,
		"ARENA_TRIAL_ID=capture", "ARENA_SCENARIO=capture", "ARENA_TURN=0")
}

// close returns the spans, and releases everything.
func (t *traceIntake) close(ctx context.Context) (*spans.Trace, error) {
	limited, cancel := context.WithTimeout(ctx, drainTime)
	t.inbox.Drain(limited)
	cancel()
	list, lost := t.inbox.Take()
	folder := spans.NewFolder(t.dir)
	written, err := folder.Read(true)
	list = append(list, written...)
	bad := []error{lost.Err(), err}
	if other := folder.Unread(); other != "" {
		bad = append(bad, errors.New(other))
	}
	if n := t.server.Counts().Refused; n > 0 {
		bad = append(bad, errors.New("requests with traces had no secret, and did not count"))
	}
	t.inbox.Close()
	_ = errors.Join(t.server.Close(), os.RemoveAll(t.dir)) // leftovers do no harm
	return spans.NewTrace(list), errors.Join(bad...)
}

// collect takes over the spans of the program.
func (c *capture) collect(ctx context.Context, e *traceIntake) {
	trace, err := e.close(ctx)
	if err != nil {
		c.TracesLost = strings.ReplaceAll(err.Error(), "\n", "; ")
		c.note("what it told of its work is not whole: %s", c.TracesLost)
	}
	if trace.Notice != "" {
		c.note("%s", trace.Notice)
	}
	c.Spans, c.Calls, c.Models = []capturedSpan{}, []capturedCall{}, trace.ModelCalls()
	for i := range trace.Spans {
		s := &trace.Spans[i]
		kept := capturedSpan{
			Name: s.Name, Kind: s.Kind.String(), Depth: trace.Depth(i), Model: s.Model, USD: s.CostUSD, Output: s.Output,
			Error: s.Failure,
		}
		if s.Usage != nil {
			kept.In, kept.Out = s.Usage.InputTokens, s.Usage.OutputTokens
		}
		if trace.Timed(i) {
			kept.MS = new(float64(s.End.Sub(s.Start)) / float64(time.Millisecond))
		}
		c.Spans = append(c.Spans, kept)
	}
	for _, call := range trace.Calls() {
		c.Calls = append(c.Calls, capturedCall{call.Name, call.Args, call.Result, call.Failure})
	}
}
