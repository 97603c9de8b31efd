package composition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// A Host runs the leaf steps of a composition, and is notified of all others. The goroutine that called Run calls its
// methods, in the order of the file.
type Host interface {
	// Begin reports that a branch or a parallel step begins.
	Begin(s *Step)
	// Open prepares a leaf step. All leaves of a parallel step are opened before the first of them runs.
	Open(s *Step, within *Step) Leaf
	// Words fills in a text of a step, which holds no references. Steps that run concurrently call it so.
	Words(s *Step, text string) (string, error)
	// End reports the record of a branch, of a parallel step after its leaves were closed, and of every step that is
	// skipped.
	End(rec *Record)
	// Unknown reports whether a value is not known, because a mark takes its place: it decides no branch.
	Unknown(v any) bool
}

// A Leaf is a leaf step that is ready to run. The leaves of a parallel step run concurrently.
type Leaf interface {
	// Run runs the step once, with its input or the arguments of its tool. It returns decoded JSON or text.
	Run(ctx context.Context, input any) (output any, err error)
	// Close is called when the step has ended.
	Close(rec *Record)
}

// A Record is the outcome of one step.
type Record struct {
	Step     *Step
	Within   *Step  // the parallel step that it belongs to; nil: none
	Attempts int    // 0: the step did not run
	Input    any    // with references replaced; nil: none
	Output   any    // nil: none
	Target   string // of a branch: the step that it chose; "" for none
	Skipped  bool
	Err      error
}

// Outcome is the outcome of a composition, with the records of its steps in the order of the file; leaves come after
// their parallel step. Steps after a failed one are not included.
type Outcome struct {
	Records []*Record
	Output  any // of the composition
}

// Input is the input of a composition for a user's message: the decoded value when the message is a JSON object or
// list, else the text.
func Input(text string) any {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return text
	}
	decoder := json.NewDecoder(strings.NewReader(trimmed))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil || decoder.More() {
		return text
	}
	return v
}

// Text is an output as a reply: a text unchanged, any other value as JSON.
func Text(output any) string {
	if text, ok := output.(string); ok {
		return text
	}
	return jsonvalue.Compact(output)
}

// Run runs the steps in their order. The error names the step that failed; the outcome holds the steps that ran before
// it.
func (c *Composition) Run(ctx context.Context, input any, host Host) (*Outcome, error) {
	r := &run{
		scope:   scope{input: input, outputs: map[string]any{}, unknown: host.Unknown},
		skipped: map[string]bool{}, taken: map[string]bool{},
		host: host,
	}
	var out Outcome
	for _, s := range c.Steps {
		records := r.step(ctx, s)
		out.Records = append(out.Records, records...)
		if err := records[0].Err; err != nil {
			return &out, fmt.Errorf("step %s: %w", s.ID, err)
		}
		if v, gave := r.scope.outputs[s.ID]; gave {
			out.Output = v
		}
	}
	if c.Output == "" {
		if len(r.scope.outputs) == 0 {
			return &out, errors.New("no step gave an output")
		}
		return &out, nil
	}
	v, gave := r.scope.outputs[c.Output]
	if !gave {
		return &out, fmt.Errorf("the output is that of step %s, which was skipped", c.Output)
	}
	out.Output = v
	return &out, nil
}

// run is one run through the graph.
type run struct {
	scope   scope
	skipped map[string]bool
	taken   map[string]bool // steps that a branch has chosen
	host    Host
}

// step runs one step, or skips it. Its own record comes first.
func (r *run) step(ctx context.Context, s *Step) []*Record {
	if r.skipped[s.ID] || r.orphaned(s) {
		return r.skip(s, nil)
	}
	switch s.Kind {
	case Branch:
		return []*Record{r.branch(s)}
	case Parallel:
		return r.parallel(ctx, s)
	case Prompt, Agent, Tool:
	}
	leaf := r.host.Open(s, nil)
	rec := &Record{Step: s}
	r.try(ctx, leaf, rec)
	leaf.Close(rec)
	if rec.Err == nil {
		r.scope.outputs[s.ID] = rec.Output
	}
	return []*Record{rec}
}

// orphaned reports whether all steps that a step depends on were skipped.
func (r *run) orphaned(s *Step) bool {
	return len(s.DependsOn) > 0 && !slices.ContainsFunc(s.DependsOn, func(id string) bool { return !r.skipped[id] })
}

// skip skips a step, and the steps that only it would have led to.
func (r *run) skip(s, within *Step) []*Record {
	r.skipped[s.ID] = true
	rec := &Record{Step: s, Within: within, Skipped: true}
	r.host.End(rec)
	records := []*Record{rec}
	for _, b := range s.Branches {
		records = append(records, r.skip(b, s)...)
	}
	for _, target := range []string{s.Then, s.Else} {
		if target != "" && !r.taken[target] {
			r.skipped[target] = true
		}
	}
	return records
}

func (r *run) branch(s *Step) *Record {
	r.host.Begin(s)
	rec := &Record{Step: s, Attempts: 1}
	defer r.host.End(rec)
	ok, err := s.If.holds(r.scopeOf(s))
	if err != nil {
		rec.Err = err
		return rec
	}
	taken, left := s.Then, s.Else
	if !ok {
		taken, left = left, taken
	}
	if left != "" && left != taken {
		r.skipped[left] = true
	}
	rec.Target, r.taken[taken] = taken, true
	return rec
}

// parallel runs the branches of a step concurrently. A failed branch does not stop the others. Another attempt runs
// only the branches that failed.
func (r *run) parallel(ctx context.Context, s *Step) []*Record {
	r.host.Begin(s)
	own := &Record{Step: s, Attempts: 1}
	records, leaves := []*Record{own}, make([]Leaf, len(s.Branches))
	for i, b := range s.Branches {
		if r.orphaned(b) {
			records = append(records, r.skip(b, s)...)
			continue
		}
		leaves[i] = r.host.Open(b, s)
		records = append(records, &Record{Step: b, Within: s})
	}
	r.together(ctx, leaves, records[1:])
	var errs []error
	for i, leaf := range leaves {
		if leaf == nil {
			continue
		}
		rec := records[1+i]
		leaf.Close(rec)
		own.Attempts = max(own.Attempts, rec.Attempts)
		if rec.Err != nil {
			errs = append(errs, fmt.Errorf("branch %s: %w", rec.Step.ID, rec.Err))
		} else {
			r.scope.outputs[rec.Step.ID] = rec.Output
		}
	}
	if own.Err = errors.Join(errs...); own.Err == nil {
		own.Output = map[string]any{s.Into: merge(s.Strategy, records[1:])}
		r.scope.outputs[s.ID] = own.Output
	}
	r.host.End(own)
	return records
}

// together runs leaves concurrently. It passes on a panic in one of them to the caller.
func (r *run) together(ctx context.Context, leaves []Leaf, records []*Record) {
	var wait sync.WaitGroup
	panics := make([]any, len(leaves))
	for i, leaf := range leaves {
		if leaf == nil {
			continue
		}
		wait.Go(func() {
			defer func() { panics[i] = recover() }()
			r.try(ctx, leaf, records[i])
		})
	}
	wait.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
}

// merge joins the outputs of the branches that ran into one value.
func merge(how Strategy, records []*Record) any {
	list, byID := []any{}, map[string]any{}
	for _, rec := range records {
		if !rec.Skipped {
			list = append(list, rec.Output)
			byID[rec.Step.ID] = rec.Output
		}
	}
	switch {
	case how == Barrier:
		return byID
	case how == Append:
		return list
	case len(list) == 0:
		return nil
	}
	return list[len(list)-1]
}

// try runs a leaf until it succeeds or its attempts are used up. It does not repeat a run that was cancelled.
func (r *run) try(ctx context.Context, leaf Leaf, rec *Record) {
	if rec.Input, rec.Err = r.inputOf(rec.Step); rec.Err != nil {
		return
	}
	most := max(rec.Step.Attempts, 1)
	if rec.Within != nil {
		most = max(most, rec.Within.Attempts)
	}
	for rec.Attempts < most {
		rec.Attempts++
		if rec.Output, rec.Err = leaf.Run(ctx, rec.Input); rec.Err == nil || ctx.Err() != nil {
			break
		}
	}
	if rec.Err != nil {
		rec.Output = nil
	}
}

func (r *run) inputOf(s *Step) (any, error) {
	switch {
	case s.Kind == Tool:
		return r.scopeOf(s).fillArgs(s.Args)
	case s.Input == nil:
		return r.scope.input, nil
	}
	return r.scopeOf(s).fill(s.Input)
}

// scopeOf returns the scope of one step.
func (r *run) scopeOf(s *Step) *scope {
	own := r.scope
	own.words = func(text string) (string, error) { return r.host.Words(s, text) }
	return &own
}
