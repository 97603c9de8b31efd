package html

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/analysis"
	"github.com/arena-evals/arena/internal/report/show"
)

// spread describes how the trials of the run are spread, and which of them are outliers.
type spread struct {
	Found  string // a summary; "": there are no outliers
	Groups []spreadGroup
	More   int // groups that are not listed
	Lists  []spreadList
}

type spreadGroup struct{ Name, Passed, Cost, Time string }

type spreadList struct {
	Title, Hint string
	Items       []spreadItem
	More        int
}

// spreadItem is a trial, or a group of trials, which has no link.
type spreadItem struct{ ID, Link, Text string }

// What of an analysis is listed.
const (
	maxSpreads  = 60
	maxStanding = 15
)

// findSpread analyzes the run. A single trial is not spread.
func (p *page) findSpread() error {
	if p.Briefs.Len() < 2 {
		return nil
	}
	r, err := analysis.Analyze(analysis.Input{Run: p.Run})
	if err != nil {
		return err
	}
	if len(r.Groups) == 0 {
		return nil
	}
	p.spread = spreadOf(r)
	return nil
}

func spreadOf(r *analysis.Report) *spread {
	s := &spread{}
	groups := r.Groups
	if len(r.Providers) > 1 {
		groups = append(slices.Clip(groups), r.Providers...)
	}
	s.More = max(0, len(groups)-maxSpreads)
	for i := range groups[:len(groups)-s.More] {
		g := &groups[i]
		told := spreadGroup{
			Name: show.GroupName(g), Passed: fmt.Sprintf("%s of %s", show.Count(g.Passed), show.Count(g.Trials)),
			Time: strings.Join(show.SpreadText("duration_ms", g.DurationMS, false), ", "),
		}
		if g.CostUSD != nil {
			told.Cost = strings.Join(show.SpreadText("cost_usd", g.CostUSD, g.Simulated), ", ")
		}
		s.Groups = append(s.Groups, told)
	}
	var found []string
	add := func(noun, title, hint string, total, listed int, item func(i int) spreadItem) {
		if total == 0 {
			return
		}
		list := spreadList{Title: title, Hint: hint}
		for i := range min(listed, maxStanding) {
			list.Items = append(list.Items, item(i))
		}
		list.More = total - len(list.Items)
		s.Lists = append(s.Lists, list)
		if noun != "" {
			found = append(found, show.Plural(total, noun))
		}
	}
	add("outlier", "Outliers", "cost or time far from the others of the scenario with the provider",
		r.Outliers.Total, len(r.Outliers.List), func(i int) spreadItem {
			return trialItem(&r.Outliers.List[i].Place, show.OutlierText(&r.Outliers.List[i]))
		})
	add("repeated call", "Repeated calls", "the same tool with the same arguments in one conversation",
		r.Repeated.Total, len(r.Repeated.List), func(i int) spreadItem {
			return trialItem(&r.Repeated.List[i].Place, show.RepeatText(&r.Repeated.List[i]))
		})
	add("", "Longest conversations", "", r.Longest.Total, len(r.Longest.List), func(i int) spreadItem {
		return trialItem(&r.Longest.List[i].Place, show.LongText(&r.Longest.List[i]))
	})
	add("flaky group", "Flaky", "trials that ask for the same, of which some passed and some did not",
		r.Flaky.Total, len(r.Flaky.List), func(i int) spreadItem {
			return spreadItem{ID: show.Line(r.Flaky.List[i].Name), Text: show.FlakyText(&r.Flaky.List[i])}
		})
	s.Found = strings.Join(found, ", ")
	return s
}

func trialItem(where *analysis.Place, text string) spreadItem {
	return spreadItem{show.Line(where.Trial), "#/trial/" + url.PathEscape(where.Trial), text}
}
