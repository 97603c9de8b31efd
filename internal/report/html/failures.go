package html

import (
	"fmt"
	"net/url"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// How much of the failures the first page shows. The list and the trials hold all of it.
const (
	maxFailures = 60
	openFailure = 12  // that are not folded
	maxNamed    = 6   // trials of one failure
	maxChecks   = 8   // of one turn
	maxSaid     = 8   // messages and calls of one turn
	maxTurns    = 3   // failed turns of one trial
	maxText     = 400 // bytes of a message or a reason
)

// failure is a group of trials that failed in the same way, described by the first of them. The terminal has the same
// groups.
type failure struct {
	Status      result.Status
	Name, Whose string // the scenario and the provider, or how many there are
	Link        template.URL
	Count       int
	Trials      []trialLink // nil: one trial
	More        int         // trials that are not in Trials
	Error       string
	Places      []failedPlace
	MorePlaces  int
	Position    string
	Rerun       string
}

type trialLink struct {
	Name string
	Link template.URL
}

// failedPlace is a turn, or the conversation, with what failed there.
type failedPlace struct {
	Label    string
	Said     []show.Entry
	Problems []failedCheck
	More     int // problems left out
}

// failedCheck is a verdict: the check, its author's label, and the reason.
type failedCheck struct {
	Status                      result.Status
	Name, Label, Seen, Note, At string
}

// findFailures gathers the failures of the run, the first trial of each read once more.
func (p *page) findFailures(opts Options) error {
	all, err := show.Failures(p.Run)
	if err != nil {
		return err
	}
	p.Kinds = len(all)
	for _, members := range all {
		p.Failing += len(members)
	}
	for _, members := range all[:min(len(all), maxFailures)] {
		t, err := p.Run.Trials.Trial(members[0])
		if err != nil {
			return fmt.Errorf("read trial %s: %w", p.Briefs.At(members[0]).ID, err)
		}
		p.Failures = append(p.Failures, p.failure(members, t, &opts))
	}
	return nil
}

// shown are the failures that are open on the page, Folded the others.
func (p *page) shown() []failure { return p.Failures[:min(len(p.Failures), openFailure)] }

// folded are the failures after the first ones.
func (p *page) folded() []failure { return p.Failures[min(len(p.Failures), openFailure):] }

// foldedKinds is the number of kinds of failures that are not open.
func (p *page) foldedKinds() int { return p.Kinds - len(p.shown()) }

// leftOut is the number of kinds of failures that are not on the page.
func (p *page) leftOut() int { return p.Kinds - len(p.Failures) }

func (p *page) failure(members []int, t *result.Trial, opts *Options) failure {
	first := p.Briefs.At(members[0])
	scenarios, providers := map[string]bool{}, map[string]bool{}
	for _, i := range members {
		b := p.Briefs.At(i)
		scenarios[b.File+"\x00"+b.Scenario], providers[show.ProviderLabel(b)] = true, true
	}
	f := failure{
		Status: first.Status, Name: trialName(first), Whose: show.ProviderLabel(first), Link: linkTo(first.ID),
		Count: len(members), Rerun: opts.command(p.ofScenario(members)...), Error: clipped(show.TrialErrorText(t)),
	}
	if first.Trials > 1 && len(members) == 1 {
		f.Whose += " " + show.TrialNumber(first)
	}
	if len(providers) > 1 {
		f.Whose = show.Plural(len(providers), "provider")
	}
	if len(scenarios) > 1 {
		f.Name = show.Plural(len(scenarios), "scenario")
	} else {
		f.Position = show.Position(t.Position)
	}
	if len(members) > 1 {
		f.Trials, f.More = p.links(members, len(scenarios) > 1, len(providers) > 1), max(len(members)-maxNamed, 0)
	}
	f.places(t)
	return f
}

// ofScenario are the trials that are of the scenario of the first one: a command runs one scenario again.
func (p *page) ofScenario(members []int) (all []*result.Brief) {
	first := p.Briefs.At(members[0])
	for _, i := range members {
		if b := p.Briefs.At(i); b.Scenario == first.Scenario && b.File == first.File {
			all = append(all, b)
		}
	}
	return all
}

// links names the first trials of a failure by what differs between them.
func (p *page) links(members []int, scenario, provider bool) (all []trialLink) {
	for _, i := range members[:min(len(members), maxNamed)] {
		b := p.Briefs.At(i)
		var parts []string
		if scenario {
			parts = append(parts, trialName(b))
		}
		if provider {
			parts = append(parts, show.ProviderLabel(b))
		}
		name := strings.TrimSpace(strings.Join(parts, " · ") + " " + show.TrialNumber(b))
		if name == "" {
			name = show.Line(b.ID)
		}
		all = append(all, trialLink{name, linkTo(b.ID)})
	}
	return all
}

// places adds the failed turns; for a trial with an error the turn of the error.
func (f *failure) places(t *result.Trial) {
	turns := map[int]*result.Turn{}
	for i := range t.Turns {
		turns[t.Turns[i].Index] = &t.Turns[i]
		if t.Turns[i].Error != "" {
			f.Places = append(f.Places, failedPlace{Label: show.TurnLabel(t.Turns[i].Index), Said: exchangeOf(&t.Turns[i])})
		}
	}
	for _, problem := range show.Problems(t) {
		label := show.TurnLabel(problem.Turn)
		if n := len(f.Places); n == 0 || f.Places[n-1].Label != label {
			f.Places = append(f.Places, failedPlace{Label: label, Said: exchangeOf(turns[problem.Turn])})
		}
		at := &f.Places[len(f.Places)-1]
		if len(at.Problems) == maxChecks {
			at.More++
			continue
		}
		at.Problems = append(at.Problems, failedCheck{
			Status: problem.Status, Name: show.Line(problem.Name()), Label: clipped(show.Line(problem.Message)),
			Seen: clipped(problem.Seen()), Note: clipped(problem.Note()), At: show.Position(problem.Position),
		})
	}
	if n := len(f.Places); n > maxTurns {
		f.Places, f.MorePlaces = f.Places[:maxTurns], n-maxTurns
	}
}

func exchangeOf(t *result.Turn) []show.Entry {
	if t == nil {
		return nil
	}
	all := show.Exchange(t)
	all = all[:min(len(all), maxSaid)]
	for i := range all {
		all[i].Text = clipped(all[i].Text)
	}
	return all
}

func clipped(text string) string { return show.Clip(show.Clean(text), maxText) }

// trialName is the scenario of a trial; one without a name goes by its id.
func trialName(b *result.Brief) string {
	if b.Scenario == "" {
		return show.Line(b.ID)
	}
	return show.Line(b.Scenario)
}

// linkTo is the place of a trial in the page. The ids there hold U+FFFD for each byte that is no UTF-8.
func linkTo(id string) template.URL {
	return template.URL("#/trial/" + url.PathEscape(string([]rune(id))))
}
