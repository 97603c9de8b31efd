package html

import (
	"math"
	"slices"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// index is the data of all trials for the overview and the list. Names that repeat are written once, and rows refer to
// them by number.
type index struct {
	Run       *result.Run  `json:"run"`
	Blocks    []int        `json:"blocks"` // index of the first trial of each block
	Scenarios []scenario   `json:"scenarios"`
	Providers []string     `json:"providers"`
	Regions   []string     `json:"regions"`
	Tags      []string     `json:"tags"`
	Checks    []checkTally `json:"checks"`
	Rates     []string     `json:"rates"`  // of run.groups, in words
	Trials    []row        `json:"trials"` // none: see rows
}

type scenario struct {
	ID   string `json:"id"`
	File string `json:"file,omitempty"`
	Line int32  `json:"line,omitempty"`
}

// checkTally counts the verdicts of all checks of one type.
type checkTally struct {
	Type   string `json:"type"`
	Total  int    `json:"total"`
	Failed int    `json:"failed"`
	Errors int    `json:"errors"`
}

// row is one trial.
type row struct {
	ID        string            `json:"id"`
	Scenario  int               `json:"scenario"`
	Provider  int               `json:"provider"`
	Region    int               `json:"region"`
	Session   string            `json:"session,omitempty"` // row of a dataset, or session of a recording
	Model     string            `json:"model,omitempty"`
	Trial     int               `json:"trial"`
	Trials    int               `json:"trials"`
	Group     *int              `json:"group,omitempty"` // in run.groups; only of several trials
	Status    result.Status     `json:"status"`
	Tolerated bool              `json:"tolerated,omitempty"`
	Excuse    string            `json:"excuse,omitempty"` // why it makes nothing red although it did not pass
	Before    bool              `json:"before,omitempty"`
	Flaky     bool              `json:"flaky,omitempty"`
	Rejected  bool              `json:"rejected,omitempty"`  // the provider refused it: another one replaces it
	Uncounted bool              `json:"uncounted,omitempty"` // the verdict of its group is not about it
	Why       string            `json:"why,omitempty"`       // in one short line
	Turns     int               `json:"turns"`
	Checks    result.CheckCount `json:"checks"`
	MS        float64           `json:"ms"`
	Tokens    int               `json:"tokens"`
	Calls     int               `json:"calls"`
	USD       *float64          `json:"usd"`
	Simulated bool              `json:"simulated,omitempty"` // a mock answered: the cost is simulated
	Latencies []int32           `json:"latencies,omitempty"` // of the replies, in milliseconds
	Tags      []int             `json:"tags,omitempty"`
	Failing   []int             `json:"failing,omitempty"` // types of the checks that failed or could not judge
}

// indexer builds the index, one trial after the other.
type indexer struct {
	index     index
	scenarios map[scenario]int
	providers numbering
	regions   numbering
	tags      numbering
	checks    numbering
	rows      rows
	sources   *sources
}

func newIndexer(run *result.Run) *indexer {
	return &indexer{
		index: index{
			Run: run, Scenarios: []scenario{}, Checks: []checkTally{}, Rates: show.Rates(run),
			Trials: []row{},
		},
		scenarios: map[scenario]int{},
	}
}

// add takes the trial of the next brief.
func (x *indexer) add(b *result.Brief, raw []byte) error {
	d, err := readDigest(raw)
	if err != nil {
		return err
	}
	r := row{
		ID: b.ID, Scenario: x.scenario(b), Provider: x.providers.number(b.Provider), Region: x.regions.number(b.Region),
		Session: b.Session, Model: d.Model, Trial: b.Trial, Trials: b.Trials,
		Status: b.Status, Tolerated: b.Tolerated, Excuse: show.Line(b.Excuse), Before: b.Before, Flaky: b.Flaky,
		Rejected: b.Rejected, Uncounted: b.Uncounted, Why: d.reason(),
		Turns: int(b.Turns), Checks: *b.Checks, MS: math.Round(b.DurationMS*10) / 10,
		Tokens: b.Usage.Total(), Calls: b.Usage.Calls, USD: b.CostUSD, Simulated: b.Simulated,
	}
	if b.Group >= 0 {
		r.Group = new(int(b.Group))
	}
	for _, tag := range d.Tags {
		r.Tags = append(r.Tags, x.tags.number(tag))
	}
	for _, t := range d.Turns {
		if t.LatencyMS > 0 {
			r.Latencies = append(r.Latencies, int32(min(math.Ceil(t.LatencyMS), math.MaxInt32)))
		}
	}
	for v := range d.verdicts {
		x.count(&r, v)
		x.sources.add(v)
	}
	return x.rows.add(r)
}

func (x *indexer) scenario(b *result.Brief) int {
	s := scenario{b.Scenario, b.File, b.Line}
	n, known := x.scenarios[s]
	if !known {
		n = len(x.index.Scenarios)
		x.scenarios[s] = n
		x.index.Scenarios = append(x.index.Scenarios, s)
	}
	return n
}

// count counts one verdict. It adds the type of its check to the row when the check failed or could not judge.
func (x *indexer) count(r *row, v *verdictDigest) {
	n := x.checks.number(v.name())
	if n == len(x.index.Checks) {
		x.index.Checks = append(x.index.Checks, checkTally{Type: v.name()})
	}
	tally := &x.index.Checks[n]
	tally.Total++
	switch v.Status {
	case result.Passed, result.Skipped, result.Cancelled:
		return
	case result.Failed:
		tally.Failed++
	default: // Errored; and Unset, which never passes
		tally.Errors++
	}
	if !slices.Contains(r.Failing, n) {
		r.Failing = append(r.Failing, n)
	}
}

// done completes the index, except its trials.
func (x *indexer) done() {
	x.index.Providers, x.index.Regions, x.index.Tags = x.providers.all(), x.regions.all(), x.tags.all()
}

// numbering numbers texts in the order in which they first come.
type numbering struct {
	list  []string
	known map[string]int
}

func (n *numbering) number(name string) int {
	i, ok := n.known[name]
	if !ok {
		if n.known == nil {
			n.known = map[string]int{}
		}
		i = len(n.list)
		n.known[name] = i
		n.list = append(n.list, name)
	}
	return i
}

// all is never nil, so that it is written as a list.
func (n *numbering) all() []string { return append([]string{}, n.list...) }
