package runner

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/attach"
	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
	"github.com/arena-evals/arena/internal/tools/open"
)

// Make plans the trials of a suite: scenarios by id × providers in the order of the file × regions × repetitions ×
// variants. Problems go to d; a plan with errors must not run.
func Make(suite *scenario.Suite, opts PlanOptions, d *diag.List) *Plan {
	m := newMatrix(opts, d)
	m.sortProviderNames(suite)
	m.checkJudge(suite)
	plan := &Plan{http: m.http, close: m.close, strays: m.strays, tracker: m.tracker, memory: m.memory}
	from := origins(suite.Projects)
	for _, p := range suite.Projects {
		plan.add(m.project(p, from[p])...)
		plan.Name = p.Name
	}
	if len(suite.Projects) > 1 {
		plan.Name = ""
	}
	m.reportMissing()
	m.reportOtherSessions()
	m.reportOnly()
	m.notePlayers(plan.spans)
	m.noteIdleFlags(plan.spans)
	plan.FailOn, plan.Notes, plan.Quarantines = m.failOn(suite), m.notes, quarantines(suite)
	if opts.Now != nil {
		ReportQuarantines(suite, opts.Now(), opts.today(), d)
	}
	if d.Errors() == 0 { // otherwise not all used providers are known
		d.DropWarnings(m.usedProviders())
	}
	if d.Errors() == 0 && !opts.AllowEmpty {
		plan.reportEmpty(suite, &opts.Selection, d)
	}
	m.stage(plan)
	m.reportBasis(plan)
	if opts.entire() {
		for _, p := range suite.Projects {
			preflight.NotUsed(p, m.opts.Judge, d)
		}
	}
	return plan
}

// whyEmpty says which filter or file leaves a plan without trials.
func whyEmpty(suite *scenario.Suite, by *Selection) string {
	var filters []string
	add := func(flag string, words []string) {
		if len(words) > 0 {
			filters = append(filters, flag+" "+strings.Join(words, ","))
		}
	}
	add("--scenario", by.Scenarios)
	add("--eval", by.Evals)
	add("--tag", by.Tags)
	add("--provider", by.Providers)
	some := func(p *scenario.Project) bool { return len(p.Scenarios)+len(p.Evals) > 0 }
	if len(filters) > 0 && slices.ContainsFunc(suite.Projects, some) {
		return ": no scenario fits " + strings.Join(filters, " and ")
	}
	for _, p := range suite.Projects {
		if p.File == "" && !some(p) && len(p.Prompts) > 0 {
			return ": " + p.Prompts[0].Pos.File + " is a prompt, and holds no scenario"
		}
	}
	return ""
}

// reportEmpty refuses a plan that judges nothing.
func (p *Plan) reportEmpty(suite *scenario.Suite, by *Selection, d *diag.List) {
	if p.Len() == 0 {
		d.Errorf(diag.Pos{}, 0, "empty-plan", "there is nothing to run%s", whyEmpty(suite, by)).Hint =
			"name a file or folder with scenarios, loosen the filters, or pass --allow-empty"
		return
	}
	if !slices.ContainsFunc(p.spans, func(s span) bool { return s.Scenario.Skip == "" }) {
		d.Errorf(p.spans[0].Scenario.Pos, 1, "all-skipped", "everything that would be run is skipped: %s",
			p.spans[0].Scenario.Skip).Hint = "a run that judges nothing is not green: choose others, or pass --allow-empty"
	}
}

func newMatrix(opts PlanOptions, d *diag.List) *matrix {
	m := &matrix{
		opts: opts, diags: d, regions: selection.Split(opts.Regions),
		scenarios: selection.NewPatterns("scenario", opts.Scenarios, d), evals: selection.NewPatterns("eval", opts.Evals, d),
		tags: selection.NewPatterns("tag", opts.Tags, d), rowFilter: selection.NewRowFilter(opts.Rows, d),
		providers: selection.NewFilter("provider", opts.Providers),
		endpoints: map[endpointKey]*Endpoint{}, implicitMocks: map[*scenario.Project]*scenario.Provider{},
		reportedFeatures: map[string]map[diag.Pos]bool{}, judgeEndpoints: map[endpointKey]*judges.Endpoint{},
		memory: judges.NewMemory(judges.MemoryLimit), opened: map[string]*recording.File{},
		conversationIDs: map[string]bool{},
		judgedSessions:  map[sessionKey]bool{}, otherSessions: map[sessionKey]string{},
		http: newHTTP(opts.Offline || opts.Replayed && !opts.Listing), tracker: claims.New(),
	}
	if len(m.regions) == 0 {
		m.regions = []string{scenario.DefaultRegion}
	}
	return m
}

// close closes the idle connections of all clients.
func (m *matrix) close() {
	m.http.CloseIdleConnections()
	for _, f := range m.fetchers {
		f.Close()
	}
	for _, e := range m.endpoints {
		if e != nil {
			_ = providers.Close(e.Client) // only idle connections are closed
		}
	}
}

// strays are messages about traces and the like that belonged to no trial.
func (m *matrix) strays() (told []string) {
	for _, e := range m.endpoints {
		if e != nil && e.Spec.IsAgent() && e.Client != nil {
			told = append(told, providers.Strays(e.Client)...)
		}
	}
	slices.Sort(told)
	return told
}

type matrix struct {
	opts             PlanOptions
	diags            *diag.List
	regions          []string
	scenarios        *selection.Filter
	evals            *selection.Filter // over recordings
	tags             *selection.Filter
	rowFilter        *selection.RowFilter
	chosenRows       map[*scenario.Scenario][]int32
	providers        *selection.Filter
	adHoc            []*scenario.Provider                       // named on the command line, but not configured
	adHocPriced      map[*scenario.Project][]*scenario.Provider // the same with prices; see adHocOf
	endpoints        map[endpointKey]*Endpoint
	judgeEndpoints   map[endpointKey]*judges.Endpoint
	embedding        []*scenario.Provider
	memory           *judges.Memory
	judgeAsked       bool                                     // a check uses the judge of --judge
	opened           map[string]*recording.File               // nil: unreadable
	judgedSessions   map[sessionKey]bool                      // conversations that an eval or a scenario judges
	unread           int                                      // number of unreadable files
	conversationIDs  map[string]bool                          // ids of conversations; true: judged
	otherSessions    map[sessionKey]string                    // conversation → its scenario, which does not judge it
	http             *http.Client                             // for checks
	implicitMocks    map[*scenario.Project]*scenario.Provider // of projects without providers
	reportedFeatures map[string]map[diag.Pos]bool             // feature → places
	tracker          *claims.Tracker
	unplanned        []span // of the present project: trials that this version cannot run; their files are still checked
	askedProviders   bool   // a scenario selected its providers
	incomplete       bool   // planning of a project ended early
	reported         map[string]bool
	reportedMedia    map[diag.Pos]bool // places of media with reported problems
	onlyValidates    bool              // validation only: a flag of the run may allow what is refused
	fetchers         []*attach.Fetcher
	stores           map[*scenario.Project]*attach.Store
	notes            []string
}

func (m *matrix) project(p *scenario.Project, origin string) []span {
	var scenarios, judged []*scenario.Scenario
	if m.evals.Empty() || !m.scenarios.Empty() || len(m.opts.Recordings) > 0 {
		scenarios = m.pick(p)
	}
	if m.scenarios.Empty() || !m.evals.Empty() {
		judged = m.pickEvals(p)
	}
	if len(m.opts.Recordings) > 0 {
		m.refuseRows(scenarios)
		judged, scenarios = append(judged, scenarios...), nil
	}
	m.unplanned = nil
	run := m.prepare(p, judged, scenarios)
	if run == nil {
		m.incomplete = true
		m.reportUnsupported(p, scenarios)
		return nil
	}
	run.prefix = origin
	out := make([]span, 0, len(scenarios)+len(judged))
	for _, s := range scenarios {
		preflight.Idle(p, s, m.opts.Strict, m.diags)
		out = append(out, m.trials(run, s)...)
	}
	m.warnGenericReplies(p, out)
	m.reportMoneyLimits(p, out)
	for _, s := range judged {
		preflight.Idle(p, s, m.opts.Strict, m.diags)
		out = append(out, single(m.recorded(run, s))...)
	}
	m.checkNames(run, append(slices.Clip(out), m.unplanned...))
	m.checkOverrides(p, out)
	return out
}

// prepare makes what the trials of a project share. Guardrails apply to scenarios, not to recorded conversations.
func (m *matrix) prepare(p *scenario.Project, judged, scenarios []*scenario.Scenario) *project {
	m.compileOpenChecks(p, scenarios, judged)
	run := &project{Project: p, timeout: cmp.Or(p.Defaults.RunTimeout, defaultRunTimeout), basis: basis{
		mocked: m.opts.MockProvider, judge: m.opts.Judge, dispatch: m.opts.Dispatch,
	}, strict: m.opts.Strict, lenient: m.opts.Lenient, media: m.attachments(p)}
	var err error
	reached := open.World{HTTP: m.http, OnStderr: m.opts.OnStderr, Media: run.media}
	if run.tools, run.memory, err = newKit(p, reached); err != nil {
		m.diags.Errorf(diag.Pos{File: p.File}, 1, "bad-tool", "%v", err)
		return nil
	}
	m.reportToolMedia(run)
	registry := run.tools.Registry
	run.states = run.stateTools()
	if run.compositions, err = compileCompositions(p); err != nil {
		m.diags.Errorf(diag.Pos{File: p.File}, 1, "invalid-schema", "%v", err)
		return nil
	}
	run.skills = newSkills(p, registry)
	preflight.Guardrails(p, scenarios, m.diags)
	m.expectGuardrails(p, judged)
	all := append(slices.Clip(scenarios), judged...)
	names.ToolUses(p, registry, all, m.diags)
	preflight.IdleGates(p, all, m.diags)
	preflight.LastReplyAlone(p, all, m.diags)
	preflight.UncheckedSchemas(p, scenarios, m.diags)
	m.opts.Dispatch.report(p, all, m.diags)
	run.embedder, run.stances = m.embedder(p, all), m.stances(run, scenarios, all)
	run.relevance = m.windowEmbedders(p, scenarios)
	m.tracker.ExpectGates(p, inventory.UsedEvals(p, all))
	m.expectConditions(p, all)
	m.judges(run, all)
	if m.opts.Offline {
		m.reportOffline(p, all)
	}
	if !m.opts.Replayed && !m.opts.Uncalled {
		preflight.Outside(p, scenarios, all, m.diags)
	}
	run.host = m.host(p)
	return run
}
