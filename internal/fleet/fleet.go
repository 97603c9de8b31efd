// Package fleet defines the messages between the coordinator of a run and the workers that run its trials: the run, its
// jobs, their outcomes, and the presence of workers. It does not depend on a broker. All messages are untrusted input.
package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/result"
)

// Protocol is the version of the messages. Messages of other versions are refused.
const Protocol = 4

// The limits of messages, in bytes. Larger ones are refused without decoding them.
const (
	MaxRun     = 1 << 20
	MaxJob     = 64 << 10
	MaxOutcome = 256 << 20 // with its line, which then lies in a file
	maxText    = 4 << 10   // of a name or a reason
	maxListed  = 10_000
)

// Run describes a run to workers.
type Run struct {
	Protocol int    `json:"protocol"`
	Arena    string `json:"arena"` // version of the coordinator
	ID       string `json:"run"`
	// Coordinator identifies the process that coordinates the run now. A run that is resumed has another one.
	Coordinator string    `json:"coordinator"`
	Name        string    `json:"name,omitempty"`
	Started     time.Time `json:"started"`
	Plan        string    `json:"plan"`   // sum of the plan, which workers make themselves
	Trials      int       `json:"trials"` // of the plan
	Bundle      Bundle    `json:"bundle"`
	// Tapes is a bundle of existing cassettes; nil: none, or nothing is recorded or replayed.
	Tapes *Bundle `json:"tapes,omitempty"`
	// Spec are the options of the run.
	Spec *result.Spec `json:"spec"`
	// Needs are what the agents of the trials need. One worker need not have all of them.
	Needs []string `json:"needs"`
	// Variables are the names of environment variables that the files use and that are set at the coordinator.
	Variables []string `json:"variables,omitempty"`
	// Story asks for the events of trials, in this detail; nil: workers do not send them.
	Story *result.StoryDetail `json:"story,omitempty"`
	// NoTraces says that agents that are programs get no address for their traces.
	NoTraces bool `json:"no_traces,omitempty"`
	// Stopped is why no further trial is wanted; "": more are wanted.
	Stopped string `json:"stopped,omitempty"`
}

// Bundle names the files of a project.
type Bundle struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Job asks a worker to run a trial.
type Job struct {
	Protocol    int    `json:"protocol"`
	Run         string `json:"run"`
	Index       int    `json:"index"` // in the plan
	Trial       string `json:"trial"` // its id
	Fingerprint string `json:"fingerprint"`
	Needs       string `json:"needs"`
	// Again says that the job was sent before, so that its outcome may be stored already.
	Again bool `json:"again,omitempty"`
}

// Outcome is the result of a job: the line of the trial for the journal, or an error.
type Outcome struct {
	Protocol    int    `json:"protocol"`
	Run         string `json:"run"`
	Index       int    `json:"index"`
	Trial       string `json:"trial"`
	Fingerprint string `json:"fingerprint"`
	Worker      string `json:"worker"`
	Tries       int    `json:"tries"` // deliveries of the job, this one included
	// Line is the line of the trial for the journal; nil: it is in the file Apart, or there is an error.
	Line json.RawMessage `json:"line,omitempty"`
	// Apart is the name of the file that holds a line too large for a message, and Size its number of bytes.
	Apart string `json:"apart,omitempty"`
	Size  int64  `json:"size,omitempty"`
	// Parts are other data of the trial, by name.
	Parts map[string]*Part `json:"parts,omitempty"`
	// Error is why the job was given up; there is no line then.
	Error string `json:"error,omitempty"`
}

// Part is other data of a trial, such as its events.
type Part struct {
	Data []byte `json:"data,omitempty"` // nil: it is in the file Apart, or there is an error
	// Apart is the name of the file that holds data too large for a message, and Size its number of bytes.
	Apart string `json:"apart,omitempty"`
	Size  int64  `json:"size,omitempty"`
	// Error is why data is missing that should be there.
	Error string `json:"error,omitempty"`
}

// The names of parts.
const (
	StoryPart = "story" // the events of the trial
	TapePart  = "tape"  // its cassette
)

// Done is the result of a job on a worker.
type Done struct {
	Line  []byte            // of the trial
	Parts map[string][]byte // what comes with it
}

// Presence says that a worker is running, and what it can do for a run.
type Presence struct {
	Protocol int    `json:"protocol"`
	Run      string `json:"run"`
	Worker   string `json:"worker"`
	Arena    string `json:"arena"` // version of the worker
	// Refuses is why the worker takes no trial of the run; "": it takes what it can run.
	Refuses string `json:"refuses,omitempty"`
	// Busy says that it serves another run at the moment.
	Busy bool `json:"busy,omitempty"`
	// Serves are the needs for which the worker can run trials. Lacks says why it cannot for other needs.
	Serves []string          `json:"serves,omitempty"`
	Lacks  map[string]string `json:"lacks,omitempty"`
	// Started is the trial that the worker has just begun; nil: none. A message with Started says nothing else.
	Started *int `json:"started,omitempty"`
	// Holds are the trials that the worker has begun, and whose outcomes are not stored yet.
	Holds []int `json:"holds,omitempty"`
	// Leaves says that the worker ends.
	Leaves bool `json:"leaves,omitempty"`
}

var (
	idForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]{8,64}$`) })
	fileForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9-]{1,128}$`) })
	sumForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })
)

// DecodeRun decodes the description of a run. For another version of the protocol it returns the fields that identify
// the run, and an *OtherVersionError.
func DecodeRun(data []byte) (*Run, error) {
	r := &Run{}
	if err := decode(data, MaxRun, r, func() int { return r.Protocol }); err != nil {
		if other, ok := errors.AsType[*OtherVersionError](err); ok {
			_ = json.Unmarshal(data, &struct {
				Arena *string `json:"arena"`
				ID    *string `json:"run"`
			}{&other.Arena, &r.ID}) // as far as it can be read
			r.Arena = other.Arena
			if !idForm().MatchString(r.ID) {
				r.ID = ""
			}
		}
		return r, err
	}
	switch {
	case !idForm().MatchString(r.ID):
		return nil, errors.New("the run has no id")
	case r.Stopped != "": // the rest is of no use then
	case r.Spec == nil:
		return nil, errors.New("the run does not say what was asked of it")
	case r.Trials < 0:
		return nil, fmt.Errorf("the run has %d trials", r.Trials)
	}
	for _, b := range []*Bundle{&r.Bundle, r.Tapes} {
		switch {
		case r.Stopped != "" || b == nil:
		case !sumForm().MatchString(b.SHA256):
			return nil, errors.New("a bundle of the run has no SHA-256")
		case b.Size < 0:
			return nil, fmt.Errorf("a bundle of the run has %d bytes", b.Size)
		}
	}
	if len(r.Variables) > maxListed {
		return nil, errors.New("the run names more variables than there are")
	}
	return r, texts(append(r.Variables, r.Arena, r.Name, r.Plan, r.Stopped, r.Coordinator)...)
}

// DecodeJob decodes a job of a run.
func DecodeJob(data []byte, run string) (*Job, error) {
	j := &Job{}
	if err := decode(data, MaxJob, j, func() int { return j.Protocol }); err != nil {
		return nil, err
	}
	if j.Run != run {
		return nil, fmt.Errorf("the job is of the run %s, and this one is %s", quoted(j.Run), run)
	}
	if j.Index < 0 {
		return nil, fmt.Errorf("the job is number %d", j.Index)
	}
	return j, texts(j.Trial, j.Fingerprint, j.Needs)
}

// DecodeOutcome decodes the outcome of a job of a run.
func DecodeOutcome(data []byte, run string) (*Outcome, error) {
	o := &Outcome{}
	if err := decode(data, MaxOutcome, o, func() int { return o.Protocol }); err != nil {
		return nil, err
	}
	said := 0
	for _, has := range []bool{len(o.Line) > 0, o.Apart != "", o.Error != ""} {
		if has {
			said++
		}
	}
	switch {
	case o.Run != run:
		return nil, fmt.Errorf("the result is of the run %s, and this one is %s", quoted(o.Run), run)
	case o.Index < 0:
		return nil, fmt.Errorf("the result is of the trial number %d", o.Index)
	case o.Size < 0 || o.Apart != "" && !fileForm().MatchString(o.Apart):
		return nil, errors.New("the result names a file that there cannot be")
	case said != 1:
		return nil, errors.New("the result has not one of a line, the name of a file and an error")
	}
	for name, p := range o.Parts {
		known := name == StoryPart || name == TapePart
		if p == nil || !known || p.Size < 0 || p.Apart != "" && !fileForm().MatchString(p.Apart) {
			return nil, fmt.Errorf("the result has a part %s that there cannot be", quoted(name))
		}
		if err := texts(p.Error); err != nil {
			return nil, err
		}
	}
	return o, texts(o.Trial, o.Fingerprint, o.Worker, o.Apart)
}

// DecodePresence decodes the presence of a worker.
func DecodePresence(data []byte, run string) (*Presence, error) {
	p := &Presence{}
	if err := decode(data, MaxRun, p, func() int { return p.Protocol }); err != nil {
		if _, other := errors.AsType[*OtherVersionError](err); !other {
			return nil, err
		}
		loose := &Presence{}
		_ = json.Unmarshal(data, loose) // as far as it can be read
		if loose.Worker == "" || len(loose.Worker) > maxText || loose.Run != run {
			return nil, err
		}
		return &Presence{Run: run, Worker: loose.Worker, Arena: loose.Arena, Refuses: err.Error()}, nil
	}
	switch {
	case p.Run != run:
		return nil, fmt.Errorf("a worker speaks of the run %s, and this one is %s", quoted(p.Run), run)
	case p.Worker == "":
		return nil, errors.New("a worker has no name")
	case len(p.Serves) > maxListed || len(p.Lacks) > maxListed || len(p.Holds) > maxListed:
		return nil, errors.New("a worker serves more than there is")
	}
	for need, why := range p.Lacks {
		if err := texts(need, why); err != nil {
			return nil, err
		}
	}
	return p, texts(append(p.Serves, p.Worker, p.Arena, p.Refuses)...)
}

// OtherVersionError is the error of a message of another protocol version.
type OtherVersionError struct {
	Arena string // version of the sender; "": not known
	Has   int
}

func (e *OtherVersionError) Error() string {
	who := ""
	if e.Arena != "" {
		who = ", of arena " + quoted(e.Arena)
	}
	return fmt.Sprintf("it speaks protocol %d%s; this arena speaks %d", e.Has, who, Protocol)
}

// decode reads a message. It checks the protocol version first: other versions may have other fields.
func decode(data []byte, limit int, v any, protocol func() int) error {
	if len(data) > limit {
		return fmt.Errorf("the message has %s; at most %s are read", dispatch.Size(len(data)), dispatch.Size(limit))
	}
	var version struct {
		Protocol int `json:"protocol"`
	}
	if json.Unmarshal(data, &version) == nil && version.Protocol != Protocol {
		return &OtherVersionError{Has: version.Protocol}
	}
	if err := dispatch.DecodeStrictly(data, v); err != nil {
		return fmt.Errorf("the message cannot be read: %w", err)
	}
	if protocol() != Protocol {
		return &OtherVersionError{Has: protocol()}
	}
	return nil
}

// texts refuses texts that are longer than their limits.
func texts(list ...string) error {
	for _, text := range list {
		if len(text) > maxText {
			return fmt.Errorf("a text has %s; at most %s are read", dispatch.Size(len(text)), dispatch.Size(maxText))
		}
	}
	return nil
}

// quoted is an untrusted text in a message.
func quoted(text string) string {
	const limit = 64
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}
