package junit

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// builder turns the groups of a run into suites. It makes each testcase twice, to count it and when it is written:
// there may be very many.
type builder struct {
	run     *result.Run
	opts    Options
	groups  *show.Groups
	suites  []*suite
	byFile  map[string]*suite
	used    map[uint64]int32  // hash of classname and name: how often taken
	changes map[string]string // since the baseline, by the names of groups
	judged  result.JudgeSum   // by the trials of the testcases so far
	shares  bool              // several trials share an answer of a judge
}

// suite is the testcases of one scenario file.
type suite struct {
	name, file string
	groups     []int32    // numbers
	others     []testcase // that are of no group
	counts     counts
	ms         float64
}

func newBuilder(run *result.Run, o Options) (*builder, error) {
	b := &builder{
		run: run, opts: o, groups: show.GroupsOf(run), byFile: map[string]*suite{}, used: map[uint64]int32{},
		shares: sharesJudgements(run), changes: show.Changes(run),
	}
	for i := range b.groups.Len() {
		g := b.groups.At(i)
		s := b.suite(g.File)
		s.groups = append(s.groups, int32(i))
		if err := b.outline(g, s.count); err != nil {
			return nil, err
		}
	}
	b.overdue()
	b.unfinished()
	return b, nil
}

// outline calls f with the testcases of a group. They have a status and a time only.
func (b *builder) outline(g *show.Group, f func(*testcase)) error {
	if b.opts.Granularity == ByTurn || b.opts.Granularity == ByCheck {
		cases, err := b.casesOfParts(g)
		for i := range cases {
			cases[i].excused()
			f(&cases[i])
		}
		return err
	}
	c := base(g)
	for _, i := range g.Trials {
		c.ms += b.run.Briefs.At(i).DurationMS
	}
	c.gate(g)
	c.excused()
	f(&c)
	return nil
}

// each calls f with the testcases of a suite, whole.
func (b *builder) each(s *suite, f func(*testcase) error) error {
	for _, i := range s.groups {
		cases, err := b.cases(b.groups.At(int(i)))
		if err != nil {
			return err
		}
		for j := range cases {
			c := &cases[j]
			c.excused()
			if c.complete != nil {
				if err := c.complete(c); err != nil {
					return err
				}
			}
			c.name = b.unique(c.classname, c.name)
			if err := f(c); err != nil {
				return err
			}
		}
	}
	for i := range s.others {
		c := &s.others[i]
		c.name = b.unique(c.classname, c.name)
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) cases(g *show.Group) ([]testcase, error) {
	if b.opts.Granularity == ByTurn || b.opts.Granularity == ByCheck {
		cases, err := b.casesOfParts(g)
		if len(cases) > 0 {
			cases[0].properties = slices.Concat(cases[0].properties, b.flaky(g), b.refused(g), b.change(g))
		}
		return cases, err
	}
	c, err := b.caseOfGroup(g)
	return []testcase{c}, err
}

// suite returns the suite of a file, in the order in which files first come up.
func (b *builder) suite(file string) *suite {
	s := b.byFile[file]
	if s == nil {
		s = &suite{name: cmp.Or(show.Line(file), "arena"), file: show.Line(file)}
		b.byFile[file], b.suites = s, append(b.suites, s)
	}
	return s
}

// add adds a testcase that is of no group.
func (s *suite) add(c testcase) {
	s.others = append(s.others, c)
	s.count(&c)
}

// unique adds a number to a name that another testcase has already: CI systems keep only one testcase of a name.
func (b *builder) unique(classname, name string) string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(classname + "\x00" + name)) // never fails
	key := hash.Sum64()
	b.used[key]++
	if n := b.used[key]; n > 1 {
		return b.unique(classname, fmt.Sprintf("%s (%d)", name, n))
	}
	return name
}

// overdue adds a failing testcase for each quarantine that is over.
func (b *builder) overdue() {
	for _, q := range b.run.Overdue() {
		text := show.Overdue(q)
		b.suite(q.Position.File).add(testcase{
			classname: classname(q.Position.File), name: show.Line(q.Scenario) + " quarantine",
			file: show.Line(q.Position.File), line: q.Position.Line, status: result.Failed, kind: "quarantine",
			message: text, body: text,
		})
	}
}

// totals are the counts of all suites.
func (b *builder) totals() counts {
	var total counts
	for _, s := range b.suites {
		total.add(s.counts)
	}
	return total
}

// unfinished adds a failing testcase when the run is red and no testcase is: the run was stopped, or fail_on names
// something that fails no testcase. A report must not look better than its run.
func (b *builder) unfinished() {
	total := b.totals()
	status, missing := b.run.Status, show.Unfinished(b.run)
	green := b.run.ExitOfTrials() == result.ExitPassed // also one that is undecided, and may be
	if total.failures+total.errors > 0 || green {
		return
	}
	c := testcase{classname: "arena", name: "run", status: result.Errored, message: "the run ended as " + status.String()}
	switch {
	case b.run.ByFailOn():
		c.status, c.message = status, "fail_on makes the run fail: "+show.Headline(b.run)
	case b.run.OnlyExcused():
		c.message = show.Headline(b.run)
	case missing > 0:
		c.message = fmt.Sprintf("the run was stopped: %d of %s did not finish",
			missing, show.Plural(show.Planned(b.run), "trial"))
		if flag := show.EndedBy(b.run); flag != "" {
			c.message += " (" + flag + ")"
		}
	}
	c.body = c.message
	b.suite("").add(c)
}

// base is the common part of the testcases of a group.
func base(g *show.Group) testcase {
	agent := show.Line(g.Provider)
	if region := show.Line(g.Region); region != "" && region != "default" {
		agent += " " + region
	}
	if session := show.Line(g.Session); session != "" {
		agent += " " + session
	}
	return testcase{
		classname: classname(g.File), name: show.Line(g.Scenario) + " [" + agent + "]",
		file: show.Line(g.File), line: g.Line, status: g.Status, excuse: show.Line(g.Excuse),
	}
}

// classname is the path of a file as a package name: scenarios/refund.yaml is scenarios.refund.
func classname(file string) string {
	p := path.Clean("/" + strings.ReplaceAll(show.Line(file), `\`, "/"))
	p = strings.TrimSuffix(p, path.Ext(p))
	p = strings.ReplaceAll(strings.Trim(p, "/"), "/", ".")
	if p == "" {
		return "arena"
	}
	return p
}

// caseOfGroup is the testcase of a whole group. Its texts are made when it is written.
func (b *builder) caseOfGroup(g *show.Group) (testcase, error) {
	c := base(g)
	judges, err := b.judges(g)
	if err != nil {
		return c, err
	}
	cost, simulated, tokens, passed, judged := 0.0, 0.0, 0, 0, 0
	known := true
	for _, i := range g.Trials {
		brief := b.run.Briefs.At(i)
		c.ms += brief.DurationMS
		tokens += brief.Usage.Total()
		switch {
		case brief.CostUSD != nil:
			cost += *brief.CostUSD
			simulated += brief.SimulatedUSD()
		case brief.Usage.Calls > 0:
			known = false
		}
		switch {
		case brief.Uncounted, brief.Status == result.Skipped, brief.Status == result.Cancelled:
		case brief.Status == result.Passed:
			passed++
			judged++
		default:
			judged++
		}
	}
	c.properties = []property{{"cost_usd", costText(cost, known)}}
	c.properties = append(c.properties, simulatedCost("simulated_usd", simulated)...)
	c.properties = append(c.properties, property{"tokens", strconv.Itoa(tokens)},
		property{"trials", strconv.Itoa(len(g.Trials))})
	c.properties = slices.Concat(c.properties, gateProperties(g), b.change(g),
		b.sideCostProperties(g, "user", func(b *result.Brief) *result.SideCost { return b.Users }),
		b.sideCostProperties(g, "context", func(b *result.Brief) *result.SideCost { return b.Context }),
		judges, b.guardrails(g), b.flaky(g), b.refused(g))
	if judged > 0 {
		c.properties = append(c.properties, property{"pass_rate", rateText(passed, judged)})
	}
	c.gate(g)
	if passed < judged || g.Status != result.Passed {
		c.complete = func(c *testcase) error { return b.addDetails(g, c) }
	}
	return c, nil
}
