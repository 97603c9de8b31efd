package html

import (
	"fmt"
	"math"
	"net/url"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// How many groups of trials the first page shows with their bars. The list holds all trials.
const (
	maxRates   = 200
	openRates  = 12
	maxMarks   = 1000 // trials of a group that are drawn
	maxInWords = 900  // bytes of the text that says the same
)

// rates are the groups of several trials, each with its error bar.
type rates struct {
	Shown, Folded []rate
	More          int    // that are not shown
	Suite         string // "" for a single group
	Kinds         []markKind
	Counts        []share // groups by status; nil: trials say it
}

// rate is one group.
type rate struct {
	Status     result.Status
	Name       string
	Whose      string
	Link       template.URL // of its trials
	Text       string
	Bar        string
	Alt        string // the same as the drawing, in words
	Low, Width float64
	At         float64 // share that passed, in percent
	Counted    bool    // any trial did
	Line       float64 // that is asked for
	MayPass    float64 // the lower line of a gate with a tolerance; 0: none
	Marks      []markPath
	Columns    int // width and height of the drawing of the trials, in units of marks
	Rows       int
	InWords    string
	Notes      []string
}

// markKind is a kind of marks.
type markKind struct {
	Kind, Word string
	Path       string
}

// markPath draws all marks of one kind.
type markPath struct{ Kind, Path string }

// markKinds are in the order of the key.
var markKinds = []markKind{
	{show.MarkPassed, "passed", ""}, {show.MarkFailed, "failed", ""},
	{show.MarkBroken, "broke: speaks for nothing", ""}, {show.MarkReplaced, "refused by the provider, and replaced", ""},
	{show.MarkBeyond, "ran after the decision: not counted", ""}, {show.MarkSkipped, "skipped", ""},
	{show.MarkStopped, "stopped", ""},
}

// markSize is the side of a mark, marksAcross the number of marks in a row.
const (
	markSize    = 10
	marksAcross = 50
)

// shapes draw a mark at a place; each differs from the others without its colour.
var shapes = map[string]string{
	show.MarkPassed: "M%d %dm1 1h8v8h-8z",
	show.MarkFailed: "M%d %dm1 2.5l1.5-1.5 2.5 2.5 2.5-2.5 1.5 1.5-2.5 2.5 2.5 2.5-1.5 1.5-2.5-2.5-2.5 2.5-1.5-1.5" +
		" 2.5-2.5z",
	show.MarkBroken:   "M%d %dm4 1h2v5h-2zm0 6.5h2v1.5h-2z",
	show.MarkReplaced: "M%d %dm2 2h6v6h-6zm1.5 1.5v3h3v-3z",
	show.MarkBeyond:   "M%d %dm3.5 3.5h3v3h-3z",
	show.MarkSkipped:  "M%d %dm2 4.25h6v1.5h-6z",
	show.MarkStopped:  "M%d %dm2 4.25h6v1.5h-6z",
}

func (k *markKind) drawn() markKind {
	return markKind{k.Kind, k.Word, fmt.Sprintf(shapes[k.Kind], 0, 0)}
}

// ratesOf collects the groups with several trials; nil: none.
func ratesOf(run *result.Run) *rates {
	gated := show.Gated(show.GroupsOf(run))
	if len(gated) == 0 {
		return nil
	}
	r := &rates{More: max(len(gated)-maxRates, 0)}
	kinds := map[string]bool{}
	for i, g := range gated[:min(len(gated), maxRates)] {
		one := rateOf(run, g)
		for _, m := range one.Marks {
			kinds[m.Kind] = true
		}
		if i < openRates {
			r.Shown = append(r.Shown, one)
		} else {
			r.Folded = append(r.Folded, one)
		}
	}
	for i := range markKinds {
		if kinds[markKinds[i].Kind] {
			r.Kinds = append(r.Kinds, markKinds[i].drawn())
		}
	}
	if s := run.Summary.SuiteRate; s != nil && len(gated) > 1 {
		r.Suite = "suite " + show.SuiteRate(s) + "; " + show.BarsNote(s)
	}
	return r
}

func rateOf(run *result.Run, g *show.Group) rate {
	gate := g.Stats.Gate
	r := rate{
		Status: g.Status, Name: show.Line(g.Scenario), Whose: g.ProviderLabel(), Link: listOf(g), Text: g.Rate(),
		Bar: show.Bar(gate), Low: percents(gate.Low), Width: percents(gate.High) - percents(gate.Low),
		Line: percents(g.AskedRate()), Notes: notesOf(gate),
	}
	if gate.Counted > 0 {
		r.Counted, r.At = true, percents(float64(gate.Passed)/float64(gate.Counted))
	}
	if gate.Rule == result.RuleGate && gate.Tolerance > 0 {
		r.MayPass = percents(gate.PassRate - gate.Tolerance)
	}
	r.Alt = fmt.Sprintf("%s: the trials leave rates of %s; the line is at %s", g.Status, r.Bar,
		show.Percent(g.AskedRate()))
	marks := show.Marks(run, g)
	r.InWords = show.Clip(show.Plural(len(marks), "trial")+" in order: "+show.MarksInWords(marks), maxInWords)
	if more := len(marks) - maxMarks; more > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("the first %s of %s are drawn", show.Count(maxMarks),
			show.Plural(len(marks), "trial")))
		marks = marks[:maxMarks]
	}
	r.Marks = pathsOf(marks)
	r.Columns, r.Rows = markSize*marksAcross, markSize*((len(marks)+marksAcross-1)/marksAcross)
	return r
}

func notesOf(g *result.Gate) (notes []string) {
	if g.Rule == result.RuleGate {
		text := show.Trials(g)
		if g.Saved > 0 {
			text += ", " + show.Count(g.Saved) + " not needed"
		}
		notes = append(notes, text)
	} else if g.Saved > 0 {
		notes = append(notes, show.Plural(g.Saved, "trial")+" not needed")
	}
	notes = append(notes, show.Powers(g)...)
	if text := show.Wavering(g); text != "" {
		notes = append(notes, text)
	}
	if text := show.Weakened(g); text != "" {
		notes = append(notes, text)
	}
	if g.Alike {
		notes = append(notes, show.Alike)
	}
	return notes
}

// percents is a share in percent, to three digits after the point: finer than any screen.
func percents(share float64) float64 { return math.Round(share*1e5) / 1e3 }

// pathsOf draws marks in rows, those of one kind as one path.
func pathsOf(marks []show.Mark) (all []markPath) {
	paths := map[string]*strings.Builder{}
	for i, m := range marks {
		if paths[m.Kind] == nil {
			paths[m.Kind] = &strings.Builder{}
		}
		fmt.Fprintf(paths[m.Kind], shapes[m.Kind], i%marksAcross*markSize, i/marksAcross*markSize)
	}
	for i := range markKinds {
		if kind := markKinds[i].Kind; paths[kind] != nil {
			all = append(all, markPath{kind, paths[kind].String()})
		}
	}
	return all
}

// listOf is the list of the trials of a group.
func listOf(g *show.Group) template.URL {
	return template.URL("#/trials?" + url.Values{
		"scenario": {string([]rune(g.Scenario))}, "provider": {string([]rune(g.Provider))},
	}.Encode())
}
