package runner

import (
	"cmp"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// PlanOptions says which trials of a suite to plan, and with which providers.
type PlanOptions struct {
	Selection
	Trials       int  // repetitions of each scenario; 0: as the scenarios say
	MockProvider bool // the mock replaces every provider
	AllowEmpty   bool
	Strict       bool     // a scenario that asserts nothing is an error
	Lenient      bool     // an empty provider group means every provider
	FailOn       []string // words of result.FailOnWords, added to those of the files; empty but not nil is reported
	Open         Opener
	OpenEmbedder EmbedderOpener // nil: there are no embedding models
	Judge        string         // for checks that name none: a judge, a provider or type/model; "": the file's first
	Jobs         int            // trials that will run at once
	// Dispatch says where evals run.
	Dispatch DispatchMode
	// Recordings are files with conversations. If there are any, scenarios and evals judge them, and nothing else runs.
	Recordings []string
	// Asked is the --provider list of the run that is judged again.
	Asked []string
	// Offline refuses checks that need the network. With Replayed a recording answers for the network and for programs.
	// In both cases checks open no connection.
	Offline, Replayed bool
	// Calls are the parameters that win over the files; see Options.
	Calls CallParameters
}

// CallParameters are parameters of model calls. Nil pointers: not set.
type CallParameters struct {
	Temperature *float64
	MaxTokens   *int
	Seed        *int64
}

// Make plans the trials of a suite: scenarios by id × providers in the order of the file × regions × repetitions ×
// variants. Problems go to d; a plan with errors must not run.
func Make(suite *scenario.Suite, opts PlanOptions, d *diag.List) *Plan {
	m := newMatrix(opts, d)
	m.sortProviderNames(suite)
	m.checkJudge(suite)
	plan := &Plan{http: m.http, close: m.close, names: m.tracker}
	from := origins(suite.Projects)
	for _, p := range suite.Projects {
		plan.add(m.project(p, from[p])...)
		plan.Name = p.Name
	}
	if len(suite.Projects) > 1 {
		plan.Name = ""
	}
	m.scenarios.missing(d, "scenario")
	m.evals.missing(d, "eval")
	m.tags.missing(d, "tag")
	m.providers.incomplete = m.incomplete || !m.askedProviders && d.Errors() > 0 // not all users of a provider are known
	m.providers.missing(d, "provider")
	m.reportUnjudged()
	plan.FailOn = m.failOn(suite)
	if d.Errors() == 0 { // otherwise not all used providers are known
		d.DropWarnings(m.usedProviders())
	}
	if plan.Len() == 0 && d.Errors() == 0 && !opts.AllowEmpty {
		d.Errorf(diag.Pos{}, 0, "empty-plan", "there is nothing to run").Hint =
			"name a file or folder with scenarios, loosen the filters, or pass --allow-empty"
	}
	if opts.AllowEmpty || d.Errors() > 0 || plan.Len() == 0 {
		return plan
	}
	if !slices.ContainsFunc(plan.spans, func(s span) bool { return s.Scenario.Skip == "" }) {
		d.Errorf(plan.spans[0].Scenario.Pos, 1, "all-skipped", "everything that would be run is skipped: %s",
			plan.spans[0].Scenario.Skip).Hint = "a run that judges nothing is not green: choose others, or pass --allow-empty"
	}
	return plan
}

func newMatrix(opts PlanOptions, d *diag.List) *matrix {
	m := &matrix{
		opts: opts, diags: d, regions: split(opts.Regions),
		scenarios: newFilter("scenario", opts.Scenarios), evals: newFilter("eval", opts.Evals),
		tags: newFilter("tag", opts.Tags), providers: newFilter("provider", opts.Providers),
		endpoints: map[endpointKey]*Endpoint{}, implicitMocks: map[*scenario.Project]*scenario.Provider{},
		reportedFeatures: map[string]map[diag.Pos]bool{}, judgeEndpoints: map[endpointKey]*judges.Endpoint{},
		memory: judges.NewMemory(judges.MemoryLimit), opened: map[string]*recording.File{},
		judgedSessions: map[sessionKey]bool{}, otherSessions: map[sessionKey]string{},
		http: newHTTP(opts.Offline || opts.Replayed), tracker: newNameTracker(),
	}
	if len(m.regions) == 0 {
		m.regions = []string{defaultRegion}
	}
	return m
}

// usedProviders returns a function that reports whether the provider at a position is called in the plan, for any
// purpose.
func (m *matrix) usedProviders() func(diag.Pos) bool {
	used := map[diag.Pos]bool{}
	for key := range m.endpoints {
		used[key.spec.Pos] = true
	}
	for _, spec := range m.embedding {
		used[spec.Pos] = true
	}
	return func(provider diag.Pos) bool { return used[provider] }
}

// close closes the idle connections of all clients.
func (m *matrix) close() {
	m.http.CloseIdleConnections()
	for _, e := range m.endpoints {
		if e != nil {
			_ = providers.Close(e.Client) // only idle connections are closed
		}
	}
}

const defaultRegion = "default"

type matrix struct {
	opts             PlanOptions
	diags            *diag.List
	regions          []string
	scenarios        *filter
	evals            *filter // over recordings
	tags             *filter
	providers        *filter
	adHoc            []*scenario.Provider // named on the command line and not configured
	endpoints        map[endpointKey]*Endpoint
	judgeEndpoints   map[endpointKey]*judges.Endpoint
	embedding        []*scenario.Provider
	memory           *judges.Memory
	opened           map[string]*recording.File               // nil: cannot be read
	judgedSessions   map[sessionKey]bool                      // conversations that an eval or a scenario judges
	otherSessions    map[sessionKey]string                    // conversation → its scenario, which does not judge
	http             *http.Client                             // for checks
	implicitMocks    map[*scenario.Project]*scenario.Provider // of projects without providers
	reportedFeatures map[string]map[diag.Pos]bool             // feature → places
	tracker          *nameTracker
	unplanned        []span // of the present project: trials that this version cannot run; their files are checked
	askedProviders   bool   // a scenario selected its providers
	incomplete       bool   // planning of a project ended early
	saidOnce         map[string]bool
}

type endpointKey struct {
	project *scenario.Project
	spec    *scenario.Provider
}

// sortProviderNames splits the names given to --provider into configured and ad-hoc ones.
func (m *matrix) sortProviderNames(suite *scenario.Suite) {
	var configured []string
	for _, p := range suite.Projects {
		for _, q := range p.Providers {
			configured = append(configured, idAndAlias(&q.Meta)...)
		}
	}
	m.providers.known = configured
	m.providers.hintSuffix = "; for a model on the spot write type/model, such as openai/gpt-4o-mini"
	for _, name := range m.providers.want {
		if slices.Contains(configured, name) {
			continue
		}
		if p := adHoc(name); p != nil {
			m.adHoc = append(m.adHoc, p)
			m.providers.used[name] = true
		}
	}
}

func (m *matrix) project(p *scenario.Project, origin string) []span {
	var scenarios, judged []*scenario.Scenario
	if len(m.evals.want) == 0 || len(m.scenarios.want) > 0 || len(m.opts.Recordings) > 0 {
		scenarios = m.pick(p)
	}
	if len(m.scenarios.want) == 0 || len(m.evals.want) > 0 {
		judged = m.pickEvals(p)
	}
	if len(m.opts.Recordings) > 0 {
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
	var out []span
	for _, s := range scenarios {
		ReportIdle(p, s, m.opts.Strict, m.diags)
		out = append(out, m.trials(run, s)...)
	}
	for _, s := range judged {
		ReportIdle(p, s, m.opts.Strict, m.diags)
		out = append(out, single(m.recorded(run, s))...)
	}
	m.checkNames(run, slices.Concat(out, m.unplanned))
	m.checkOverrides(p, out)
	return out
}

// checkOverrides warns of model_overrides for a misspelled model. A model that is unknown here may belong to another
// project with the same prompt.
func (m *matrix) checkOverrides(p *scenario.Project, spans []span) {
	var models []string
	for _, spec := range slices.Concat(p.Providers, m.adHoc) {
		models = append(models, spec.Model)
	}
	met := map[*scenario.Prompt]bool{}
	for i := range spans {
		prompt := spans[i].Prompt
		if prompt == nil || len(prompt.Overrides) == 0 || met[prompt] || spans[i].Recorded != nil {
			continue
		}
		met[prompt] = true
		for model, o := range prompt.Overrides {
			if near := diag.Nearest(model, models); !slices.Contains(models, model) && misspelled(model, near) {
				m.diags.Warnf(o.Pos, utf8.RuneCountInString(model), scenario.NoEffect,
					"model_overrides.%s has no effect: no provider has this model", model).Hint = diag.DidYouMean(model, models)
			}
		}
	}
}

// checkNames reports names in checks that do not exist, given the providers that answer in the trials.
func (m *matrix) checkNames(p *project, spans []span) {
	agents := map[*scenario.Scenario][]*scenario.Provider{}
	var planned []*scenario.Scenario
	for i := range spans {
		t := &spans[i].Trial
		if _, met := agents[t.Scenario]; !met {
			planned = append(planned, t.Scenario)
		}
		if t.Recorded == nil && !slices.Contains(agents[t.Scenario], t.Endpoint.Spec) {
			agents[t.Scenario] = append(agents[t.Scenario], t.Endpoint.Spec)
		} else if t.Recorded != nil {
			agents[t.Scenario] = nil
		}
	}
	n := &nameChecker{
		p: p.Project, tools: p.tools.Registry, lenient: m.opts.Lenient, diags: m.diags, tracker: m.tracker,
		recorded: len(m.opts.Recordings) > 0,
	}
	n.report(planned, func(s *scenario.Scenario) []*scenario.Provider { return agents[s] })
}

// prepare makes what the trials of a project share. Guardrails apply to scenarios, not to recorded conversations.
func (m *matrix) prepare(p *scenario.Project, judged, scenarios []*scenario.Scenario) *project {
	m.compileOpenChecks(p, scenarios, judged)
	run := &project{Project: p, timeout: cmp.Or(p.Defaults.RunTimeout, defaultRunTimeout), basis: basis{
		mocked: m.opts.MockProvider, judge: m.opts.Judge, dispatch: m.opts.Dispatch,
	}, strict: m.opts.Strict, lenient: m.opts.Lenient}
	var err error
	if run.tools, run.memory, err = newKit(p, m.http); err != nil {
		m.diags.Errorf(diag.Pos{File: p.File}, 1, "bad-tool", "%v", err)
		return nil
	}
	registry := run.tools.Registry
	run.states = run.stateTools()
	run.skills = newSkills(p, registry)
	ReportGuardrailUses(p, scenarios, m.diags)
	m.expectGuardrails(p, judged)
	all := append(slices.Clip(scenarios), judged...)
	(&toolUses{p, registry, m.diags}).report(all)
	ReportIdleGates(p, all, m.diags)
	m.opts.Dispatch.report(p, all, m.diags)
	run.embedder, run.stances = m.embedder(p, all), m.stances(run, scenarios, all)
	m.tracker.awaitSamples(usedEvals(p, all))
	m.judges(run, all)
	if m.opts.Offline {
		m.reportOffline(p, all)
	}
	if !m.opts.Replayed {
		ReportOutside(p, all, m.diags)
	}
	run.host = m.host(p)
	return run
}

func (m *matrix) pick(p *scenario.Project) []*scenario.Scenario {
	var out []*scenario.Scenario
	for _, s := range p.Scenarios {
		byName := m.scenarios.keeps(idAndAlias(&s.Meta)...)
		byTag := m.tagged(s)
		if byName && byTag {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *scenario.Scenario) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (m *matrix) tagged(s *scenario.Scenario) bool {
	if len(s.Tags) == 0 {
		return len(m.tags.want) == 0
	}
	keep := false
	for _, tag := range s.Tags {
		if m.tags.keeps(tag) {
			keep = true
		}
	}
	return keep
}

// ReportIdle warns of a scenario that cannot fail; with strict that is an error.
func ReportIdle(p *scenario.Project, s *scenario.Scenario, strict bool, d *diag.List) {
	n := len(p.Globals) + len(s.Conversation)
	for i := range s.Turns {
		n += len(s.Turns[i].Assertions)
	}
	if n > 0 || s.Skip != "" || hasGate(p, s) || s.Recorded != nil && hasMeasures(p, s) {
		return
	}
	report := d.Warnf
	if strict {
		report = d.Errorf
	}
	what, hint := "scenario", "add assertions to a turn, or conversation_assertions"
	if s.Recorded != nil {
		what, hint = "eval", "add assertions or conversation_assertions"
	}
	report(s.Pos, 1, "no-assertions", "%s %q asserts nothing: it passes whatever the agent says", what, s.ID).Hint = hint
}

// trials plans one scenario with its providers, regions, repetitions and variants.
func (m *matrix) trials(p *project, s *scenario.Scenario) []span {
	chosen := m.selectProviders(p.Project, s)
	prompt, ok := m.prompt(p.Project, s)
	if !ok {
		return nil
	}
	prompts, _ := p.PromptsFor(s) // matrix.prompt reports the error
	start, _ := p.Start(s)
	refused := s.Skip == "" && m.reportFeatures(p.Needs(s, prompts, nil))
	if !m.countable(s) {
		return nil
	}
	all := variants(s)
	repeat := repetitions(&m.opts, s)
	if repeat > maxTrials/len(all) {
		m.diags.Errorf(s.Pos, 1, "out-of-range", "scenario %q: %d trials of each variant are more than can be counted",
			s.ID, repeat).Hint = "lower trials"
		return nil
	}
	var out []span
	for _, spec := range chosen {
		refusedHere := s.Skip == "" && !m.opts.MockProvider && m.reportFeatures(p.Needs(s, prompts, spec))
		if refused || refusedHere {
			m.unplanned = append(m.unplanned, span{variants: all, count: repeat, Trial: Trial{
				Project: p, Scenario: s, Prompt: prompt, Endpoint: &Endpoint{Spec: spec},
			}})
		}
		if refusedHere {
			continue
		}
		endpoint := m.endpoint(p.Project, spec)
		if endpoint == nil || !m.hasReplySchema(s, prompt, spec) || refused {
			continue
		}
		if !m.takesParameters(p.Project, s, prompt, endpoint) {
			continue
		}
		m.warnIgnoredParameters(prompt, spec)
		for _, region := range m.regions {
			of := repeat * len(all)
			out = append(out, span{variants: all, count: of, Trial: Trial{
				Project: p, Scenario: s, Start: start, Prompt: prompt, Endpoint: endpoint, Region: region, N: 1, Of: of,
				Variant: all[0], variantCount: len(all),
			}})
		}
	}
	return out
}

// repetitions is how often each variant of a scenario is run.
func repetitions(opts *PlanOptions, s *scenario.Scenario) int {
	return max(cmp.Or(opts.Trials, s.Trials), 1)
}

// countable refuses a scenario with more variants than anybody can want.
func (m *matrix) countable(s *scenario.Scenario) bool {
	if countVariants(s) <= maxVariants {
		return true
	}
	m.diags.Errorf(s.Pos, 1, "out-of-range", "scenario %q: its perturbations make more than %d variants",
		s.ID, maxVariants)
	return false
}

// maxTrials is the largest number of trials in a group. The sum over all groups does not overflow.
const maxTrials = 1_000_000_000_000

// hasReplySchema reports whether there is a schema for a provider that requires one.
func (m *matrix) hasReplySchema(s *scenario.Scenario, prompt *scenario.Prompt, spec *scenario.Provider) bool {
	if spec.ReplyFormat != "json_schema" || replySchema(s, prompt, spec) != nil {
		return true
	}
	m.diags.Errorf(spec.FormatPos, 1, "no-schema",
		"provider %s: response_format json_schema needs a schema, and neither scenario %q nor its prompt has one",
		spec.ID, s.ID).
		Hint = "give the scenario or the prompt an output_schema, or write response_format: {type: json_schema, " +
		"json_schema: {schema: …}}"
	return false
}

// warnIgnoredParameters warns of parameters of the prompt that the provider does not support.
func (m *matrix) warnIgnoredParameters(prompt *scenario.Prompt, spec *scenario.Provider) {
	if prompt == nil || spec.TakesTopK() {
		return
	}
	if params := scenario.ModelParameters(prompt, spec.Model); params.TopK != nil {
		m.diags.Warnf(params.TopKPos, 1, scenario.NoEffect,
			"top_k has no effect with provider %s: OpenAI's servers do not take it", spec.ID).Hint =
			"write top_p, or give the provider the base_url of a server that takes it"
	}
}

// prompt returns the prompt of a scenario by its task type.
func (m *matrix) prompt(p *scenario.Project, s *scenario.Scenario) (*scenario.Prompt, bool) {
	prompt, err := p.Prompt(s)
	if err != nil {
		m.diags.Errorf(cmp.Or(s.TaskTypePos, s.Pos), 1, "unknown-prompt", "scenario %q: %v", s.ID, err)
		return nil, false
	}
	return prompt, true
}

// failOn returns what the command line and the projects list under fail_on, in the order of result.FailOnWords.
func (m *matrix) failOn(suite *scenario.Suite) []string {
	if m.opts.FailOn != nil && len(m.opts.FailOn) == 0 {
		m.diags.Warnf(diag.Pos{}, 0, "no-effect", "the list of what makes the run red is empty, which changes nothing: %s",
			result.AlwaysRed).Hint = "leave it out; for a report only, pass --exit-zero"
	}
	named := slices.Clone(m.opts.FailOn)
	for _, p := range suite.Projects {
		named = append(named, p.Defaults.FailOn...)
	}
	if m.opts.Strict { // warnings may come up only at the end of the run
		named = append(named, result.FailOnWarning)
	}
	var out []string
	for _, reason := range result.FailOnWords {
		if slices.Contains(named, reason) {
			out = append(out, reason)
		}
	}
	return out
}
