package html

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/arena-evals/arena/internal/comparison"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// WriteComparison writes how a run differs from the one before as one page without a script. before and after name the
// runs.
func WriteComparison(w io.Writer, r *comparison.Report, before, after string) error {
	page, err := newComparisonPage(r, before, after)
	if err != nil {
		return err
	}
	tmpl, err := template.New("comparison.html").Funcs(words()).Funcs(template.FuncMap{
		"csp": (*comparisonPage).csp, "css": (*comparisonPage).css,
	}).ParseFS(assets, "assets/comparison.html")
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := tmpl.Execute(out, page); err != nil {
		return fmt.Errorf("write the comparison: %w", err)
	}
	return out.Flush()
}

// What a page holds at most; the table of what changed has every group.
const (
	maxDiffers = 400  // groups whose replies and verdicts are shown
	maxPiece   = 2000 // bytes of a part of a reply
)

type comparisonPage struct {
	Style    string
	Heading  string
	Suite    string // what the groups show together; "": chance had no part in any
	Status   result.Status
	Across   bool
	Runs     []comparedRun
	Rows     []comparedRow
	Sections []comparedSection
	Same     int // groups in which nothing changed
	LeftOut  int // groups that are not shown in full
}

type comparedRun struct{ Label, Name, Trials, Spent string }

// comparedRow is a group in the table. It has the classes of statuses.
type comparedRow struct {
	Name, Link, Word, Status, Passed string
	Time, Cost                       string
	TimeIs, CostIs                   string // slower, faster, dearer, cheaper
}

type comparedSection struct {
	Title  string
	Folded bool
	Pairs  []comparedPair
}

type comparedPair struct {
	ID, Name, Word, Status, Passed, Trial, Why string

	Changes []string
	Turn    int // of the reply, from 1
	Reply   []comparedPiece
}

type comparedPiece struct{ Removed, Added, Both string }

func newComparisonPage(r *comparison.Report, before, after string) (*comparisonPage, error) {
	p := &comparisonPage{
		Heading: show.Compared(r), Suite: show.Suite(r), Status: show.ComparedStatus(r), Across: r.Across,
	}
	var err error
	if p.Style, err = join([]string{"base", "overview", "replies", "comparison"}, ".css"); err != nil {
		return nil, err
	}
	for _, side := range []struct {
		label, name string
		run         *result.Run
	}{{"before", before, r.Before}, {"after", after, r.After}} {
		spent := strings.Join(show.Expenses(&side.run.Summary), ", ")
		p.Runs = append(p.Runs, comparedRun{side.label, side.name, show.Headline(side.run), spent})
	}
	if err := p.addPairs(r); err != nil {
		return nil, err
	}
	p.unmatched("only before", r.Gone)
	p.unmatched("only after", r.New)
	return p, nil
}

// addPairs adds the rows and sections of the pairs. Those that got worse come first.
func (p *comparisonPage) addPairs(r *comparison.Report) error {
	told := 0
	same := show.ComparedSection{Title: "The same verdicts, in other words"}
	for i := range r.Pairs {
		if pair := &r.Pairs[i]; show.AsBefore(pair) && !pair.Unchecked {
			same.Pairs = append(same.Pairs, pair)
		}
	}
	for _, kind := range append(show.ComparedSections(r), same) {
		asBefore := kind.Status == result.Unset
		section := comparedSection{Title: kind.Title, Folded: asBefore}
		for _, pair := range kind.Pairs {
			row := comparedRowOf(r, pair)
			if told == maxDiffers {
				p.LeftOut++
				p.add(row, pair)
				continue
			}
			d, err := show.Differ(r, pair)
			if err != nil {
				return err
			}
			if !asBefore || len(d.Changes) > 0 || d.Reply != nil {
				told++
				row.Link = fmt.Sprintf("group-%d", told)
				one := comparedPairOf(row, d)
				one.Why = show.Why(r, pair)
				section.Pairs = append(section.Pairs, one)
			}
			p.add(row, pair)
		}
		if len(section.Pairs) > 0 {
			p.Sections = append(p.Sections, section)
		}
	}
	return nil
}

// add adds a row unless nothing changed.
func (p *comparisonPage) add(row comparedRow, pair *comparison.Pair) {
	if show.AsBefore(pair) && !pair.Unchecked && row.TimeIs == "" && row.CostIs == "" {
		p.Same++
		return
	}
	p.Rows = append(p.Rows, row)
}

func (p *comparisonPage) unmatched(word string, groups []*comparison.Group) {
	for _, g := range groups {
		p.Rows = append(p.Rows, comparedRow{
			Name: show.Line(g.Name), Word: word, Status: g.Status.String(),
			Passed: fmt.Sprintf("%d of %d", g.Passed, len(g.Trials)),
		})
	}
}

func comparedRowOf(r *comparison.Report, p *comparison.Pair) comparedRow {
	row := comparedRow{
		Name: show.Line(show.PairName(r, p)), Word: show.ChangeWord(p), Status: changeStatus(p).String(),
		Passed: fmt.Sprintf("%d of %d → %d of %d", p.Was.Passed, len(p.Was.Trials), p.Now.Passed, len(p.Now.Trials)),
		Time:   show.Seconds(p.Was.DurationMS) + " → " + show.Seconds(p.Now.DurationMS),
		Cost:   show.Spent(p.Was.CostUSD, p.Was.SimulatedUSD) + " → " + show.Spent(p.Now.CostUSD, p.Now.SimulatedUSD),
	}
	switch {
	case p.Slower:
		row.TimeIs = "slower"
	case p.Faster:
		row.TimeIs = "faster"
	}
	switch {
	case p.Dearer:
		row.CostIs = "dearer"
	case p.Cheaper:
		row.CostIs = "cheaper"
	}
	return row
}

// changeStatus is the status whose colour a change has.
func changeStatus(p *comparison.Pair) result.Status {
	switch {
	case p.Verdict == comparison.Regressed:
		return result.Failed
	case p.Unchecked, !show.AsBefore(p) && p.Verdict != comparison.Improved:
		return result.Errored
	case p.Verdict == comparison.Improved:
		return result.Passed
	}
	return result.Skipped
}

func comparedPairOf(row comparedRow, d *show.Difference) comparedPair {
	pair := comparedPair{
		ID: row.Link, Name: row.Name, Word: row.Word, Status: row.Status, Passed: row.Passed, Trial: d.Trial,
		Changes: d.Changes, Turn: d.Turn + 1,
	}
	pair.Reply = comparedReply(d.Reply)
	return pair
}

// comparedReply merges two replies into one, or shows one after the other if they have little in common.
func comparedReply(pieces []comparison.Piece) (all []comparedPiece) {
	var was, now strings.Builder
	both := 0
	for _, piece := range pieces {
		if piece.Kind != comparison.Added {
			was.WriteString(piece.Text)
		}
		if piece.Kind != comparison.Removed {
			now.WriteString(piece.Text)
		}
		if piece.Kind == comparison.Both {
			both += len(strings.TrimSpace(piece.Text))
		}
	}
	if 5*both < 2*max(was.Len(), now.Len()) {
		return []comparedPiece{
			{Removed: show.Clip(was.String(), maxPiece), Both: "\n"}, {Added: show.Clip(now.String(), maxPiece)},
		}
	}
	for i, piece := range pieces {
		switch text := show.Clip(piece.Text, maxPiece); piece.Kind {
		case comparison.Removed:
			all = append(all, comparedPiece{Removed: text})
		case comparison.Added:
			all = append(all, comparedPiece{Added: text})
		default:
			all = append(all, comparedPiece{Both: show.Common(piece.Text, i == 0, i == len(pieces)-1)})
		}
	}
	return all
}

// css marks our own style as safe.
func (p *comparisonPage) css() template.CSS { return template.CSS(p.Style) }

// csp allows our own style by its hash, and nothing else.
func (p *comparisonPage) csp() string {
	return "default-src 'none'; style-src " + hash(p.Style) + "; base-uri 'none'; form-action 'none'"
}
