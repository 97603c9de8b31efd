package runner

import (
	"net/http"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/preflight"
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
		called := preflight.CalledTools(p, chosen)
		for _, t := range p.Tools {
			if t.HTTP != nil && called[t.ID] {
				m.diags.Errorf(t.HTTP.URLPos, 1, "offline", "tool %s needs the network, and --offline is set", t.ID).Hint =
					"choose scenarios that do without it, or replay a recording: --replay FOLDER"
			}
		}
	}
	if preflight.AsksAgents(p, chosen) {
		for _, a := range p.Agents {
			m.diags.Errorf(a.URLPos, diag.Width(a.Written), "offline",
				"agent %s needs the network, and --offline is set", a.Name).Hint =
				"choose scenarios without a prompt, or replay a recording: --replay FOLDER"
		}
	}
	m.reportOfflineServers(p, chosen)
	seen := map[diag.Pos]bool{}
	inventory.EachCheck(p, chosen, func(c *checks.Compiled) {
		if c.Needs()&checks.NeedsNetwork == 0 || seen[c.Pos] {
			return
		}
		seen[c.Pos] = true
		m.diags.Errorf(c.Pos, diag.Width(c.Type), "offline", "%s needs the network, and --offline is set", c.Type).Hint =
			"choose scenarios that do without it, or replay a recording: --replay FOLDER"
	})
}
