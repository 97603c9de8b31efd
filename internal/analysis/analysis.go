// Package analysis says how the trials of runs are spread, and which of them are outliers: by cost, by time, by the
// length of the conversation, by calls that repeat each other, and by passing only sometimes.
package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/sortby"
)

// Input is a run under a name.
type Input struct {
	Name string
	Run  *result.Run
}

// Report is what is found. Its lists hold up to Most entries, what stands out most first.
type Report struct {
	Runs []Run `json:"runs"`
	// Groups are the trials of a scenario with a provider, in the order in which they come up.
	Groups    []Group `json:"groups"`
	Providers []Group `json:"providers"` // the same of all scenarios
	// Outliers lie beyond the fences of their group: 1.5 times the distance of its quartiles from the nearer of them.
	Outliers List[Outlier] `json:"outliers"`
	Repeated List[Repeat]  `json:"repeated_calls"`
	Longest  List[Long]    `json:"longest"`
	Flaky    List[Flaky]   `json:"flaky"`
}

// Most is how many entries a list of a report has.
const Most = 100

// List is a part of a list, and how long that is.
type List[T any] struct {
	Total int `json:"total"`
	List  []T `json:"list"`
}

// Run is a run that was looked at.
type Run struct {
	Name   string        `json:"run"`
	Status result.Status `json:"status"`
	Trials int           `json:"trials"`
	// LeftOut are trials without a verdict on the agent: skipped, broken, or ended by somebody.
	LeftOut int `json:"left_out"`
}

// Group is how trials are spread.
type Group struct {
	Scenario string `json:"scenario,omitempty"`
	Provider string `json:"provider"`
	Trials   int    `json:"trials"`
	Passed   int    `json:"passed"`
	// CostUSD is that of the agent; nil: no price is known. Simulated says that mocks made up some of it.
	CostUSD    *Spread `json:"cost_usd"`
	Simulated  bool    `json:"simulated,omitempty"`
	DurationMS *Spread `json:"duration_ms"`
	Turns      *Spread `json:"turns"`
	Rounds     *Spread `json:"rounds"` // calls of the model
}

// Place is a trial in one of the runs.
type Place struct {
	Run      string `json:"run"`
	Trial    string `json:"trial"`
	Scenario string `json:"scenario"`
	Provider string `json:"provider"`
}

// Outlier is a trial whose cost or time lies far from those of its group.
type Outlier struct {
	Place

	What   string  `json:"what"` // cost_usd or duration_ms
	Value  float64 `json:"value"`
	Median float64 `json:"median"`
	Fence  float64 `json:"fence"` // that it lies beyond
	// Far is how many times the distance of the quartiles it lies beyond the fence; for groups without such a distance,
	// beyond the fence in parts of the median.
	Far float64 `json:"far"`

	Simulated bool `json:"simulated,omitempty"`
}

// Repeat is a call that a conversation has several times: the same tool with the same arguments.
type Repeat struct {
	Place

	Tool      string `json:"tool"`
	Arguments string `json:"arguments"` // as JSON
	Times     int    `json:"times"`
	Failed    int    `json:"failed,omitempty"` // of these calls
}

// Long is a trial with a long conversation.
type Long struct {
	Place

	Turns     int           `json:"turns"`
	Rounds    int           `json:"rounds"`
	ToolCalls int           `json:"tool_calls"`
	Status    result.Status `json:"status"`
}

// Flaky is trials that ask for the same, of which some passed and some did not.
type Flaky struct {
	Name     string   `json:"name"` // as the ids of the trials have it, without their number
	Scenario string   `json:"scenario"`
	Provider string   `json:"provider"`
	Row      string   `json:"row,omitempty"`
	Runs     []string `json:"runs"`
	Trials   int      `json:"trials"`
	Passed   int      `json:"passed"`
	Failed   int      `json:"failed"`
	Errors   int      `json:"errors"`
	// Again counts trials that passed when they were run again, although nothing had changed.
	Again int `json:"again,omitempty"`
}

// Analyze looks at runs. It keeps next to nothing of each trial beside its brief, and reads only those that may have
// calls which repeat each other.
func Analyze(inputs ...Input) (*Report, error) {
	a := &analyzer{inputs: inputs, groups: map[groupKey]*group{}}
	a.same = newSames(inputs)
	for _, in := range inputs {
		if err := a.run(in); err != nil {
			return nil, err
		}
	}
	return a.report(), nil
}

type groupKey struct{ scenario, provider string }

type analyzer struct {
	inputs   []Input
	runs     []Run
	groups   map[groupKey]*group
	order    []groupKey
	same     *sameInputs
	longest  top[Long]
	repeated top[Repeat]
}

func (a *analyzer) run(in Input) error {
	told := Run{Name: in.Name, Status: in.Run.Status, Trials: in.Run.Briefs.Len()}
	at := len(a.runs)
	for i, b := range in.Run.Briefs.All() {
		a.same.add(in.Name, &b)
		if b.Status != result.Passed && b.Status != result.Failed {
			told.LeftOut++
			continue
		}
		for _, key := range []groupKey{{b.Scenario, b.Provider}, {"", b.Provider}} {
			g := a.groups[key]
			if g == nil {
				g = &group{of: a.inputs}
				a.groups[key] = g
				a.order = append(a.order, key)
			}
			g.add(place{int32(at), int32(i)}, &b)
		}
		where := Place{in.Name, b.ID, b.Scenario, b.Provider}
		if b.Turns > 1 || b.Usage.Calls > 1 {
			a.longest.add(Long{where, int(b.Turns), b.Usage.Calls, b.Usage.ToolCalls, b.Status}, longer)
		}
		if b.Usage.ToolCalls < 2 {
			continue
		}
		t, err := in.Run.Trials.Trial(i)
		if err != nil {
			return fmt.Errorf("%s: read trial %s: %w", in.Name, b.ID, err)
		}
		for _, r := range repeats(t) {
			r.Place = where
			a.repeated.add(r, moreOften)
		}
	}
	a.runs = append(a.runs, told)
	if told.Trials == 0 {
		return errors.New(in.Name + " has no trial that ended")
	}
	return nil
}

func longer(x, y *Long) int {
	return cmp.Or(cmp.Compare(y.Rounds, x.Rounds), cmp.Compare(y.Turns, x.Turns), cmp.Compare(y.ToolCalls, x.ToolCalls))
}

func moreOften(x, y *Repeat) int { return cmp.Compare(y.Times, x.Times) }

func (a *analyzer) report() *Report {
	r := &Report{Runs: a.runs, Groups: []Group{}, Providers: []Group{}}
	var outliers top[Outlier]
	for _, key := range a.order {
		g := a.groups[key]
		if key.scenario == "" {
			r.Providers = append(r.Providers, g.summary(key))
			continue
		}
		r.Groups = append(r.Groups, g.summary(key))
		g.outliers(key, a.runs, func(o Outlier) { outliers.add(o, farther) })
	}
	r.Outliers, r.Repeated, r.Longest = outliers.done(farther), a.repeated.done(moreOften), a.longest.done(longer)
	r.Flaky = a.same.flaky()
	return r
}

func farther(x, y *Outlier) int { return cmp.Compare(y.Far, x.Far) }

// top collects what comes first of many, and counts all.
type top[T any] struct {
	total int
	all   []T
}

func (t *top[T]) add(one T, before func(x, y *T) int) {
	t.total++
	if t.all = append(t.all, one); len(t.all) >= 4*Most {
		t.cut(before)
	}
}

func (t *top[T]) cut(before func(x, y *T) int) {
	sortby.Func(t.all, func(x, y T) int { return before(&x, &y) })
	t.all = t.all[:min(len(t.all), Most)]
}

func (t *top[T]) done(before func(x, y *T) int) List[T] {
	t.cut(before)
	if t.all == nil {
		t.all = []T{}
	}
	return List[T]{t.total, slices.Clip(t.all)}
}
