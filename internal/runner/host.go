package runner

import (
	"net/http"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/scenario"
)

// newHTTP makes the HTTP client of the checks. Time limits and redirects to other hosts are decided by each check.
func newHTTP(offline bool) *http.Client {
	return &http.Client{CheckRedirect: dial.Stay, Transport: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dial.New(offline),
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    15 * time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    64,
		MaxResponseHeaderBytes: 1 << 20,
	}}
}

// host is the environment and the network of a project's checks.
func (m *matrix) host(p *scenario.Project) *checks.Host {
	getenv := p.Getenv
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	h := &checks.Host{HTTP: m.http, Getenv: getenv, Classifiers: classifiers(p, getenv),
		ClassifierOf: p.Defaults.Classifiers}
	if m.opts.MockProvider && len(h.Classifiers) > 0 {
		h.Classifiers, h.NoClassifiers = nil, errMockedClassifier
	}
	return h
}

// reportOffline reports checks of chosen scenarios that need the network.
func (m *matrix) reportOffline(p *scenario.Project, chosen []*scenario.Scenario) {
	if slices.ContainsFunc(p.Tools, func(t *scenario.Tool) bool { return t.HTTP != nil }) {
		called := calledTools(p, chosen)
		for _, t := range p.Tools {
			if t.HTTP != nil && called[t.ID] {
				m.diags.Errorf(t.HTTP.URLPos, 1, "offline", "tool %s needs the network, and --offline is set", t.ID).Hint =
					"choose scenarios that do without it, or replay a recording: --replay FOLDER"
			}
		}
	}
	if asksAgents(p, chosen) {
		for _, a := range p.Agents {
			m.diags.Errorf(a.URLPos, width(a.Written), "offline",
				"agent %s needs the network, and --offline is set", a.Name).Hint =
				"choose scenarios without a prompt, or replay a recording: --replay FOLDER"
		}
	}
	m.reportOfflineServers(p, chosen)
	seen := map[diag.Pos]bool{}
	eachCheck(p, chosen, func(c *checks.Compiled) {
		if c.Needs()&checks.NeedsNetwork == 0 || seen[c.Pos] {
			return
		}
		seen[c.Pos] = true
		m.diags.Errorf(c.Pos, width(c.Type), "offline", "%s needs the network, and --offline is set", c.Type).Hint =
			"choose scenarios that do without it, or replay a recording: --replay FOLDER"
	})
}

// ReportOutside reports missing programs and endpoints that the tools of scenarios need, which are run, and the checks
// of all that are judged. Conversations that are judged again call no tool.
func ReportOutside(p *scenario.Project, run, judged []*scenario.Scenario, d *diag.List) {
	reportOutside(p, run, judged, func(problem diag.Diagnostic) { d.Add(problem) })
}

// ForeseeOutside reports the same as warnings, for files that may run on another machine.
func ForeseeOutside(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	warn := func(problem diag.Diagnostic) {
		problem.Severity = diag.Warning
		d.Add(problem)
	}
	reportOutside(p, chosen, chosen, warn)
	var found diag.List
	for _, spec := range p.Providers {
		preflightAgent(spec, p.Getenv, &found)
	}
	for _, problem := range found.Sorted() {
		warn(problem)
	}
}

// reportOutside reports each problem once, however many checks share it.
func reportOutside(p *scenario.Project, run, judged []*scenario.Scenario, report func(diag.Diagnostic)) {
	if p.Getenv == nil {
		return
	}
	type place struct {
		pos diag.Pos
		msg string
	}
	seen := map[place]bool{}
	if len(p.Agents) > 0 ||
		slices.ContainsFunc(p.Tools, func(t *scenario.Tool) bool { return t.Exec != nil || t.HTTP != nil }) {
		for _, problem := range preflightTools(p, run) {
			report(problem)
		}
	}
	for _, problem := range preflightServers(p, run) {
		report(problem)
	}
	eachCheck(p, judged, func(c *checks.Compiled) {
		if c.Needs()&(checks.NeedsProcess|checks.NeedsNetwork) == 0 {
			return
		}
		for _, problem := range c.Preflight(p.Getenv) {
			if at := (place{problem.Pos, problem.Msg}); !seen[at] {
				seen[at] = true
				report(problem)
			}
		}
	})
}
