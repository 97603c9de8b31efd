// Package baseline is the file with the accepted results of a suite: a line for each group of trials, kept under
// version control, so that a review shows what changed.
package baseline

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/gate"
	"github.com/arena-evals/arena/internal/sortby"
)

// Name is the default name of the file.
const Name = "arena.baseline.json"

// Version is the version of the format.
const Version = 1

//go:embed baseline.schema.json
var schema []byte

// Schema is the JSON Schema of the file.
func Schema() []byte { return bytes.Clone(schema) }

// File is a baseline.
type File struct {
	Version int    `json:"baseline"`
	Suite   string `json:"suite"` // name of the project; "": it has none
	// Count is the number of groups: a merge that adds or drops some does not go unseen.
	Count  int     `json:"count"`
	Groups []Group `json:"groups"` // sorted by name
}

// Group is how the trials of a scenario with a provider in a region did.
type Group struct {
	Name   string `json:"group"` // project:scenario/provider/region[row], as in the ids of trials
	Status string `json:"status"`
	Passed int    `json:"passed"`
	Failed int    `json:"failed"`
	Broken int    `json:"broken,omitempty"` // of a gate, which concludes although trials broke
	// Low and High are the error bar of the share that passes.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Score is the mean score of the checks for which more is better; nil: none.
	Score     *float64 `json:"score,omitempty"`
	CostUSD   *float64 `json:"cost_usd,omitempty"` // of a trial in full, the median; nil: not known
	LatencyMS float64  `json:"latency_ms"`         // of a trial, the median
	// Failing are the checks that failed.
	Failing []string `json:"failing,omitempty"`
	// Rule is the rule that ended the trials; nil: their number was fixed.
	Rule *Rule `json:"gate,omitempty"`
	// Repeatable says that mocks or recordings answered and judged.
	Repeatable bool   `json:"repeatable,omitempty"`
	Asked      string `json:"asked"` // equal for groups that ask and check the same
	Sum        string `json:"sum"`   // of the line, which is written by arena alone
}

// Rule is a rule that ended trials: a gate, or a count that ended when it was certain. With Min equal to Max it had one
// look, after all trials.
type Rule struct {
	PassRate   float64 `json:"pass_rate,omitempty"`
	Tolerance  float64 `json:"tolerance,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
	Max        int     `json:"max"`
	Min        int     `json:"min,omitempty"`
	Block      int     `json:"block,omitempty"`
	Threshold  float64 `json:"threshold,omitempty"` // of a count
	// AllowUndecided says that a run could pass without a verdict of the gate.
	AllowUndecided bool `json:"allow_undecided,omitempty"`
}

// Stopping is the rule with all its ends; nil: none.
func (r *Rule) Stopping() *gate.Stopping {
	if r == nil || r.Max < 1 || r.Max > gate.MostTrials {
		return nil
	}
	if r.Threshold > 0 {
		return gate.Curtailed(r.Max, r.Threshold)
	}
	g, err := gate.Of(gate.Rule{
		PassRate: r.PassRate, Tolerance: r.Tolerance, Confidence: r.Confidence, Max: r.Max, Min: r.Min, Block: r.Block,
	})
	if err != nil {
		return nil
	}
	return g.Stopping()
}

// Red reports whether the group failed. One that is undecided did not.
func (g *Group) Red() bool { return g.Status == "failed" }

// Undecided reports whether its trials showed neither.
func (g *Group) Undecided() bool { return g.Status == "undecided" }

// Counts are the trials of the group.
func (g *Group) Counts() gate.Counts {
	return gate.Counts{Passed: g.Passed, Failed: g.Failed, Broken: g.Broken}
}

// New makes a file of groups.
func New(suite string, groups []Group) *File {
	f := &File{Version: Version, Suite: suite, Count: len(groups), Groups: slices.Clone(groups)}
	sortby.Func(f.Groups, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	for i := range f.Groups {
		g := &f.Groups[i]
		g.Low, g.High = rounded(g.Low, 3), rounded(g.High, 3)
		g.Score, g.CostUSD = roundedPointer(g.Score, 3), roundedPointer(g.CostUSD, 4)
		g.LatencyMS = rounded(g.LatencyMS, 3)
		slices.Sort(g.Failing)
		g.Failing = slices.Compact(g.Failing)
		g.Sum = g.sum()
	}
	return f
}

// rounded keeps so many digits, so that noise is no change.
func rounded(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // which was just written
	return y
}

func roundedPointer(x *float64, digits int) *float64 {
	if x == nil {
		return nil
	}
	return new(rounded(*x, digits))
}

// sum is the checksum of a line without its sum.
func (g Group) sum() string {
	g.Sum = ""
	sum := sha256.Sum256(line(&g))
	return hex.EncodeToString(sum[:4])
}

// line is a group as a line of the file.
func line(g *Group) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(g) // cannot fail: texts and finite numbers
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Encode writes the file: the head, and then a line for each group.
func (f *File) Encode() []byte {
	var b bytes.Buffer
	suite, _ := json.Marshal(f.Suite) // cannot fail: a text
	b.WriteString("{\n  \"baseline\": " + strconv.Itoa(f.Version) + ",\n  \"suite\": ")
	b.Write(suite)
	b.WriteString(",\n  \"count\": " + strconv.Itoa(f.Count) + ",\n  \"groups\": [")
	for i := range f.Groups {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(line(&f.Groups[i]))
	}
	b.WriteString("\n  ]\n}\n")
	return b.Bytes()
}

// Find returns the group with a name; nil: none.
func (f *File) Find(name string) *Group {
	byName := func(g Group, name string) int { return cmp.Compare(g.Name, name) }
	i, found := slices.BinarySearchFunc(f.Groups, name, byName)
	if !found {
		return nil
	}
	return &f.Groups[i]
}
