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

// Leaf runs a step of a leaf kind once: with its input, or the arguments of its tool. What it returns is JSON as it is
// decoded, or text. Leaves of a parallel step are called at once.
type Leaf func(ctx context.Context, s *Step, input any) (output any, err error)

// A Record is what came of one step.
type Record struct {
	ID       string
	Kind     Kind
	Attempts int    // 0: it did not run
	Output   any    // nil when there is none
	Target   string // of a branch: the step that it chose; "" when that is none
	Skipped  bool
	Err      error
}

// Outcome is what came of all steps, in the order of the file, those of parallel ones behind theirs. Steps behind one
// that failed are not among them.
type Outcome struct {
	Records []Record
	Output  any // of the whole
}

// Input makes the input of a composition out of the user's words: the value when they are one JSON object or list, else
// the text as it is.
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

// Text is an output as a reply: text as it is, any other value as JSON.
func Text(output any) string {
	if text, ok := output.(string); ok {
		return text
	}
	return jsonvalue.Compact(output)
}

// Run runs the steps in their order. The error names the step that failed; the outcome then holds what ran until there.
func (c *Composition) Run(ctx context.Context, input any, leaf Leaf) (*Outcome, error) {
	r := &run{scope: scope{input: input, outputs: map[string]any{}}, skipped: map[string]bool{}, leaf: leaf}
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

// run is one way through the graph.
type run struct {
	scope   scope
	skipped map[string]bool
	leaf    Leaf
}

// step runs one step, or skips it. The first record is its own.
func (r *run) step(ctx context.Context, s *Step) []Record {
	if r.skipped[s.ID] || r.orphaned(s) {
		return r.skip(s)
	}
	switch s.Kind {
	case Branch:
		return []Record{r.branch(s)}
	case Parallel:
		return r.parallel(ctx, s)
	case Prompt, Agent, Tool:
	}
	rec := r.try(ctx, s)
	if rec.Err == nil {
		r.scope.outputs[s.ID] = rec.Output
	}
	return []Record{rec}
}

// orphaned reports whether all steps were skipped that a step depends on.
func (r *run) orphaned(s *Step) bool {
	return len(s.DependsOn) > 0 && !slices.ContainsFunc(s.DependsOn, func(id string) bool { return !r.skipped[id] })
}

// skip marks a step, and what only it leads to.
func (r *run) skip(s *Step) []Record {
	r.skipped[s.ID] = true
	records := []Record{{ID: s.ID, Kind: s.Kind, Skipped: true}}
	for _, b := range s.Branches {
		records = append(records, r.skip(b)...)
	}
	for _, target := range []string{s.Then, s.Else} {
		if target != "" {
			r.skipped[target] = true
		}
	}
	return records
}

func (r *run) branch(s *Step) Record {
	rec := Record{ID: s.ID, Kind: s.Kind, Attempts: 1}
	ok, err := s.If.holds(&r.scope)
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
	rec.Target = taken
	return rec
}

// parallel runs the branches of a step at once. One that fails does not stop the others.
func (r *run) parallel(ctx context.Context, s *Step) []Record {
	records := make([]Record, 1+len(s.Branches))
	var wait sync.WaitGroup
	for i, b := range s.Branches {
		if r.orphaned(b) {
			records[1+i] = r.skip(b)[0]
			continue
		}
		wait.Go(func() { records[1+i] = r.try(ctx, b) })
	}
	wait.Wait()
	own := &records[0]
	*own = Record{ID: s.ID, Kind: s.Kind, Attempts: 1}
	var errs []error
	for i := range s.Branches {
		rec := &records[1+i]
		switch {
		case rec.Err != nil:
			errs = append(errs, fmt.Errorf("branch %s: %w", rec.ID, rec.Err))
		case !rec.Skipped:
			r.scope.outputs[rec.ID] = rec.Output
		}
	}
	if own.Err = errors.Join(errs...); own.Err == nil {
		own.Output = map[string]any{s.Into: merge(s.Strategy, records[1:])}
		r.scope.outputs[s.ID] = own.Output
	}
	return records
}

// merge makes one value out of the outputs of the branches that ran.
func merge(how Strategy, records []Record) any {
	list, byID := []any{}, map[string]any{}
	for i := range records {
		if rec := &records[i]; !rec.Skipped {
			list = append(list, rec.Output)
			byID[rec.ID] = rec.Output
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

// try runs a leaf until it succeeds or its attempts are used up. A run that was cancelled is not tried again.
func (r *run) try(ctx context.Context, s *Step) Record {
	rec := Record{ID: s.ID, Kind: s.Kind}
	input, err := r.inputOf(s)
	if err != nil {
		rec.Err = err
		return rec
	}
	for rec.Attempts < max(s.Attempts, 1) {
		rec.Attempts++
		if rec.Output, rec.Err = r.leaf(ctx, s, input); rec.Err == nil || ctx.Err() != nil {
			break
		}
	}
	return rec
}

func (r *run) inputOf(s *Step) (any, error) {
	switch {
	case s.Kind == Tool:
		args, err := r.scope.fill(s.Args)
		return args, err
	case s.Input == nil:
		return r.scope.input, nil
	}
	return r.scope.fill(s.Input)
}
