package arena

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/contain"
)

// Check scores a reply, tool calls or a whole conversation. It does not decide whether the score is good enough; the
// place that names the check does: an assertion gates a test, a guardrail acts on what the model says, an eval
// measures. A check must be safe for concurrent use.
//
// An error, or a panic of Eval, means that nothing could be judged: the verdict is an error, and never a pass. An error
// that wraps [ErrNotApplicable] means that there is nothing to judge: the verdict is skipped.
type Check interface {
	Eval(ctx context.Context, s *Subject) (Finding, error)
}

// CheckFunc is a function that is a [Check].
type CheckFunc func(ctx context.Context, s *Subject) (Finding, error)

// Eval implements [Check].
func (f CheckFunc) Eval(ctx context.Context, s *Subject) (Finding, error) { return f(ctx, s) }

// StreamChecker is a [Check] that can judge the beginning of a reply. As a guardrail it is called while the reply
// streams; a blocking one closes the stream as soon as it fires.
type StreamChecker interface {
	Check
	// EvalPartial judges the text that has arrived so far. best is the highest score, from 0 to 1, that a reply with this
	// beginning can still get: 1 as long as nothing is wrong. It is called for every piece that arrives and should be
	// quick. An error means that the reply cannot be judged, not even when it is complete.
	EvalPartial(text string) (best float64, err error)
}

// ErrNotApplicable is wrapped by the error of a check that has nothing to judge and must not count.
var ErrNotApplicable = checks.ErrNotApplicable

// Finding is what a check saw.
type Finding struct {
	Score       float64        // from 0 to 1
	Explanation string         // one line: what is there, or what is missing
	Details     map[string]any // for reports, which show it as JSON; nil: nothing to add
}

// Pass is the finding of a check that holds.
func Pass(explanation string) Finding { return Finding{Score: 1, Explanation: explanation} }

// Fail is the finding of a check that does not hold.
func Fail(explanation string) Finding { return Finding{Explanation: explanation} }

// Subject is what a check looks at: one turn of a conversation, or all of it. It belongs to the check that gets it.
type Subject struct {
	Reply    string    // text of the last reply in scope; "": none
	Messages []Message // the whole conversation so far, with the system prompt first if there is one
	Start    int       // index in Messages of the first one in scope
	Turn     int       // index of the turn that is judged, from 0; -1: the conversation
	Tools    []ToolUse // the calls in scope, in order

	// Time, cost and tokens of the scope. Nil is not known, and not 0.
	Latency                   *time.Duration // until the last reply
	Elapsed                   *time.Duration // since the conversation began
	CostUSD                   *float64
	InputTokens, OutputTokens *int

	Variables map[string]string // of the system prompt
	Metadata  map[string]any    // of the conversation: from the scenario, the recording, the host or tools
	Session   string            // id of the trial, or of the recorded session
	Prompt    string            // id of the prompt; "": none
	// Steps are the outputs, as text, of the steps of the composition that answered, by id; nil: no composition answered.
	Steps map[string]string
}

func subjectFrom(s *checks.Subject) *Subject {
	out := &Subject{
		Reply: s.Output(), Messages: messagesFrom(s.Messages), Start: s.Start, Turn: s.Turn, Tools: toolUsesFrom(s.Calls),
		Latency: spanOf(s.LatencyMS), Elapsed: spanOf(s.ElapsedMS), CostUSD: clone(s.CostUSD),
		InputTokens: clone(s.InputTokens), OutputTokens: clone(s.OutputTokens),
		Metadata: cloneMap(s.Metadata), Session: s.SessionID, Prompt: s.PromptID,
	}
	if s.Session {
		out.Start, out.Turn = 0, -1
	}
	out.Variables = maps.Clone(s.Variables)
	if s.Composition != nil {
		out.Steps = maps.Clone(s.Composition.Outputs)
	}
	return out
}

func spanOf(ms *float64) *time.Duration {
	if ms == nil {
		return nil
	}
	return new(span(*ms))
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Registry holds checks in Go, in addition to those of arena. Pass it in [Options]; there is no global registry. The
// zero value is ready to use. A Registry is safe for concurrent use.
type Registry struct {
	mu    sync.Mutex
	defs  []*checks.Def
	table *checks.Table // of defs
}

// CheckInfo describes a check.
type CheckInfo struct {
	Name    string   // its type in files: a letter, then letters, digits, dots, _ and -
	Aliases []string // further names
	Summary string   // one sentence

	// Blocks says that the check, as a guardrail that fires, replaces the reply by the guardrail's message. Otherwise it
	// is only recorded that it fired.
	Blocks bool
	// Session says that the check always judges the whole conversation, also as an assertion on a turn.
	Session bool
	// Remote says that the check waits for something outside of the process. Remote checks run after all others, at the
	// same time as each other, and not at all once the run was stopped. Their evals are in the group long-running unless
	// the file names one.
	Remote bool
}

// Register adds a check to r. P is a struct; its exported fields with a tag `param` are the parameters:
//
//	param:"name" or param:"name,required"    the name in files
//	alias:"a,b"       other names
//	default:"1"       taken when the parameter is left out; for numbers, words, time spans, true and false
//	min:"0" max:"9"   bounds of a number, both included; above:"0" excludes the bound
//	words:"a,b"       the only texts allowed
//	is:"tool"         what a text, or a list of them, is: tool, agent, skill, state or another name (name); text to look
//	                  for as it stands (text); or neither (prose)
//	keys:"argument" of:"tool"   the keys of a map are arguments of the tool that the parameter tool names
//	doc:"..."         one sentence
//
// With is, a name that nothing in the project has, and a text that cannot match, are reported as problems of the file.
//
// Fields may be bool, int, float64, string, [time.Duration], any, structs of these, and pointers to, lists of and maps
// from string to all of them. A pointer stays nil when its parameter is left out.
//
// build makes the check for one place in a file, from decoded parameters. It is called while the files are loaded, from
// several goroutines at once. Its error is reported at that place of the file; see [ParamError].
//
// Register fails for a name that another check has already, and for a struct that cannot hold parameters.
func Register[P any](r *Registry, info CheckInfo, build func(params P) (Check, error)) error {
	def := checks.Def{
		Name: info.Name, Aliases: slices.Clone(info.Aliases), Summary: info.Summary,
		Scoring: "The score that the check gives.",
		Family:  checks.FamilyExternal, Surfaces: checks.Everywhere, Needs: checks.NeedsReply | checks.NeedsCalls,
	}
	if info.Blocks {
		def.OnFire = checks.Replaces
	}
	if info.Session {
		def.Scope = checks.WholeAlways
	}
	if info.Remote {
		def.Needs |= checks.NeedsNetwork
	}
	d, err := checks.Custom(def, func(params P) (checks.Check, error) {
		if build == nil {
			return nil, errors.New("its build function is nil")
		}
		check, err := build(params)
		if err != nil || check == nil {
			return nil, paramProblem(err)
		}
		if s, ok := check.(StreamChecker); ok {
			return &streamAdapter{checkAdapter{check}, s}, nil
		}
		return &checkAdapter{check}, nil
	})
	if err != nil {
		return fmt.Errorf("arena: %w", err)
	}
	return r.add(d)
}

func (r *Registry) add(d *checks.Def) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	defs := append(slices.Clip(r.defs), d)
	table, err := checks.NewTable(defs...)
	if err != nil {
		return fmt.Errorf("arena: %w", err)
	}
	r.defs, r.table = defs, table
	return nil
}

// checks returns the checks that have been registered so far; nil: none.
func (r *Registry) checks() *checks.Table {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.table
}

// ParamError is the error of a build function that refuses the value of a parameter. It is reported at the line of that
// parameter.
type ParamError struct {
	Param string // its name; not an alias
	Err   error
}

func (e *ParamError) Error() string { return e.Param + ": " + e.Err.Error() }

func (e *ParamError) Unwrap() error { return e.Err }

func paramProblem(err error) error {
	if bad, ok := errors.AsType[*ParamError](err); ok {
		return &checks.BadParam{Param: bad.Param, Err: bad.Err}
	}
	return err
}

// checkAdapter makes a check in Go a check of arena.
type checkAdapter struct{ check Check }

// Eval implements checks.Check.
func (a *checkAdapter) Eval(ctx context.Context, s *checks.Subject) (checks.Finding, error) {
	own := subjectFrom(s)
	f, err := contain.Call(ctx, "the check", func() (Finding, error) { return a.check.Eval(ctx, own) })
	if err != nil {
		return checks.Finding{}, err
	}
	details, err := plain(f.Details)
	if err != nil {
		return checks.Finding{}, fmt.Errorf("the details of the finding cannot be written as JSON: %w", err)
	}
	return checks.Finding{Score: f.Score, Explanation: f.Explanation, Details: details}, nil
}

// plain converts details or metadata to decoded JSON: a copy that every report can write.
func plain(details map[string]any) (map[string]any, error) {
	if len(details) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(details)
	if err != nil {
		return nil, err
	}
	v, err := chat.DecodeJSON(data)
	out, _ := v.(map[string]any)
	return out, err
}

// streamAdapter is a checkAdapter that also judges the beginnings of replies.
type streamAdapter struct {
	checkAdapter
	checker StreamChecker
}

// partialLimit limits the time of one call of EvalPartial.
const partialLimit = 10 * time.Second

var errSlow = fmt.Errorf("it took longer than %s to judge the beginning of a reply", partialLimit)

// Stream implements checks.Streamer.
func (s *streamAdapter) Stream() checks.Stream {
	return checks.Partial(func(text string) (float64, error) {
		ctx, cancel := context.WithTimeoutCause(context.Background(), partialLimit, errSlow)
		defer cancel()
		return contain.Call(ctx, "the check", func() (float64, error) { return s.checker.EvalPartial(text) })
	})
}
