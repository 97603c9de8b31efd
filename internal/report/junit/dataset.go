package junit

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// datasets are the properties of a suite that say how the rows of its datasets fare together. Each name begins with the
// scenario and its provider, as the names of testcases do.
func datasets(run *result.Run, s *suite) (all []property) {
	for i := range run.Datasets {
		if d := &run.Datasets[i]; show.Line(d.Position.File) == s.file {
			all = append(all, ofDataset(d)...)
		}
	}
	return all
}

func ofDataset(d *result.DatasetStats) []property {
	agent := show.Line(d.Provider)
	if region := show.Line(d.Region); region != "" && region != "default" {
		agent += " " + region
	}
	l := propertyList{prefix: show.Line(d.Scenario) + " [" + agent + "] "}
	l.count("rows", d.Rows)
	l.count("rows_passed", d.Passed)
	l.count("rows_failed", d.Failed)
	l.count("rows_errors", d.Errors)
	if d.Undecided > 0 {
		l.count("rows_undecided", d.Undecided)
	}
	l.number("pass_rate", d.PassRate)
	if d.Interval != nil {
		l.number("pass_rate_low", &d.Interval.Low)
		l.number("pass_rate_high", &d.Interval.High)
	}
	switch {
	case d.CostUSD != nil:
		l.add("cost_usd", costText(*d.CostUSD, d.Unpriced == 0))
		if d.Unpriced == 0 {
			l.spread("trial_cost_usd", d.Cost)
		}
	case d.Unpriced > 0:
		l.add("cost_usd", show.Unknown)
	}
	if j := d.Judges; j != nil {
		l.add("judge_cost_usd", costText(usdOf(j), j.CostUSD != nil))
		l.all = append(l.all, simulatedCost(l.prefix+"judge_simulated_usd", j.SimulatedUSD)...)
		l.count("judge_tokens", j.Total())
		l.count("judge_calls", j.Calls)
	}
	if t := d.Duration; t != nil {
		l.add("trial_seconds_mean", seconds(t.Mean))
	}
	for i := range d.Checks {
		l.check(&d.Checks[i])
	}
	if len(d.Worst) > 0 {
		names := make([]string, len(d.Worst))
		for i := range names {
			names[i] = show.Line(d.Worst[i].Row)
		}
		l.add("worst_rows", strings.Join(names, ", "))
	}
	return l.all
}

func usdOf(c *result.SideCost) float64 {
	if c.CostUSD == nil {
		return 0
	}
	return *c.CostUSD
}

func (l *propertyList) check(c *result.RowsCheck) {
	of := propertyList{prefix: l.prefix + show.RowsCheckName(c) + " "}
	if c.Gates {
		of.count("passed", c.Passed)
		of.count("failed", c.Failed)
	}
	of.count("errors", c.Errors)
	of.number("pass_rate", c.PassRate)
	if c.Interval != nil {
		of.number("pass_rate_low", &c.Interval.Low)
		of.number("pass_rate_high", &c.Interval.High)
	}
	of.spread("score", c.Scores)
	l.all = append(l.all, of.all...)
}

// propertyList is properties whose names begin alike.
type propertyList struct {
	prefix string
	all    []property
}

func (l *propertyList) add(name, value string) {
	l.all = append(l.all, property{l.prefix + name, value})
}

func (l *propertyList) count(name string, n int) { l.add(name, strconv.Itoa(n)) }

func (l *propertyList) number(name string, n *float64) {
	if n != nil {
		l.add(name, strconv.FormatFloat(*n, 'g', 4, 64))
	}
}

func (l *propertyList) spread(name string, s *result.Spread) {
	if s == nil {
		return
	}
	l.number(name+"_mean", &s.Mean)
	l.number(name+"_deviation", s.Deviation)
}

// properties writes those of a suite.
func (d *document) properties(all []property) {
	if len(all) > 0 && d.err == nil {
		d.err = d.enc.EncodeElement(properties{all}, xml.StartElement{Name: xml.Name{Local: "properties"}})
	}
}
