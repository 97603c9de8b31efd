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
	"github.com/arena-evals/arena/internal/tools"
)

// PlanOptions says what of a suite to run, and with which providers.
type PlanOptions struct {
	Selection
	Trials       int  // overrides the scenarios' own number; 0: does not
	MockProvider bool // replace every provider by the mock
	AllowEmpty   bool
	Strict       bool     // a scenario that asserts nothing is an error
	Lenient      bool     // an empty provider group means every provider
	FailOn       []string // reasons of result, besides those of the files; empty but not nil is told of
	Open         Opener
	OpenEmbedder EmbedderOpener // nil: there are no embedding models
	Judge        string         // of checks that name none: a judge, a provider or type/model; "": the file's first
	Jobs         int            // trials that will run at once
	// Dispatch says where evals are run.
	Dispatch DispatchMode
	// Recordings are files of conversations that are over. Where there are any, scenarios and evals judge those, and
	// nothing else is run.
	Recordings []string
	// Asked is the providers that a run was asked for that is judged again; empty: for those of its files.
	Asked []string
	// Offline refuses what needs the network. Replayed takes it, and programs, for answered by a recording. Either way
	// no connection of a check is opened.
	Offline, Replayed bool
}

// Make turns a suite into its trials: scenarios by id × providers in the order of the file × regions × repetitions ×
// variants. Problems go to d; when it holds errors, the plan must not run.
func Make(suite *scenario.Suite, opts PlanOptions, d *diag.List) *Plan {
	m := newMatrix(opts, d)
	m.known(suite)
	m.checkJudge(suite)
	plan := &Plan{http: m.http, close: m.close, heard: m.heard}
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
	m.providers.cut = m.halted || !m.asked && d.Errors() > 0 // who would use one is not known then
	m.providers.missing(d, "provider")
	m.reportUnjudged()
	plan.FailOn = m.failOn(suite)
	if d.Errors() == 0 { // else it is not known who would be asked
		d.DropWarnings(m.asksOf())
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
		endpoints: map[endpointKey]*Endpoint{}, mocks: map[*scenario.Project]*scenario.Provider{},
		refused: map[string]map[diag.Pos]bool{}, judging: map[endpointKey]*judges.Endpoint{},
		memory: judges.NewMemory(judges.MemoryLimit), opened: map[string]*recording.File{},
		judged: map[talk]bool{}, others: map[talk]string{},
		http: newHTTP(opts.Offline || opts.Replayed), heard: newHearing(),
	}
	if len(m.regions) == 0 {
		m.regions = []string{defaultRegion}
	}
	return m
}

// asksOf knows the providers that the plan asks anything of, whatever they are for, by where they stand.
func (m *matrix) asksOf() func(diag.Pos) bool {
	asked := map[diag.Pos]bool{}
	for key := range m.endpoints {
		asked[key.spec.Pos] = true
	}
	for _, spec := range m.embedding {
		asked[spec.Pos] = true
	}
	return func(provider diag.Pos) bool { return asked[provider] }
}

// close lets go of the connections of everything that was opened.
func (m *matrix) close() {
	m.http.CloseIdleConnections()
	for _, e := range m.endpoints {
		if e != nil {
			_ = providers.Close(e.Client) // it is about idle connections only
		}
	}
}

const defaultRegion = "default"

type matrix struct {
	opts      PlanOptions
	diags     *diag.List
	regions   []string
	scenarios *filter
	evals     *filter // over recordings
	tags      *filter
	providers *filter
	adHoc     []*scenario.Provider // named on the command line and not configured
	endpoints map[endpointKey]*Endpoint
	judging   map[endpointKey]*judges.Endpoint
	embedding []*scenario.Provider
	memory    *judges.Memory
	opened    map[string]*recording.File               // nil: cannot be read
	judged    map[talk]bool                            // by an eval or a scenario
	others    map[talk]string                          // of other scenarios than some that judge: theirs
	http      *http.Client                             // for checks
	mocks     map[*scenario.Project]*scenario.Provider // that nobody configured
	refused   map[string]map[diag.Pos]bool             // features, by name and place
	heard     *hearing
	unplanned []span // of the project at hand: trials that this version cannot run; their files are checked all the same
	asked     bool   // a scenario chose among the providers
	halted    bool   // a project did not get that far
}

type endpointKey struct {
	project *scenario.Project
	spec    *scenario.Provider
}

// known sorts the names given to --provider into configured ones and those to make up.
func (m *matrix) known(suite *scenario.Suite) {
	var configured []string
	for _, p := range suite.Projects {
		for _, q := range p.Providers {
			configured = append(configured, names(&q.Meta)...)
		}
	}
	m.providers.known = configured
	m.providers.besides = "; for a model on the spot write type/model, such as openai/gpt-4o-mini"
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
		m.halted = true
		m.foresee(p, scenarios)
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
	m.names(run, slices.Concat(out, m.unplanned))
	m.overrides(p, out)
	return out
}

// overrides warns of those of the prompts under test that are for a misspelled model. One that nobody has here may be
// that of another project with the same prompt.
func (m *matrix) overrides(p *scenario.Project, spans []span) {
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

// names looks for names in checks that nothing bears, given who answers in the trials.
func (m *matrix) names(p *project, spans []span) {
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
	n := &naming{
		p: p.Project, tools: p.tools.Registry, lenient: m.opts.Lenient, diags: m.diags, heard: m.heard,
		over: len(m.opts.Recordings) > 0,
	}
	n.report(planned, func(s *scenario.Scenario) []*scenario.Provider { return agents[s] })
}

// prepare makes what the trials of a project share. Guardrails watch conversations that are to be had.
func (m *matrix) prepare(p *scenario.Project, judged, scenarios []*scenario.Scenario) *project {
	m.settle(p, scenarios, judged)
	run := &project{Project: p, timeout: cmp.Or(p.Defaults.RunTimeout, defaultRunTimeout), basis: basis{
		mocked: m.opts.MockProvider, judge: m.opts.Judge, dispatch: m.opts.Dispatch,
	}, strict: m.opts.Strict, lenient: m.opts.Lenient}
	registry, err := tools.New(mockable(p.Tools))
	if err != nil {
		m.diags.Errorf(diag.Pos{File: p.File}, 1, "bad-tool", "%v", err)
		return nil
	}
	run.tools = tools.NewKit(registry)
	ReportGuardrailUses(p, scenarios, m.diags)
	m.expectGuardrails(p, judged)
	all := append(slices.Clip(scenarios), judged...)
	(&toolUses{p, registry, m.diags}).report(all)
	ReportIdleGates(p, all, len(judged) > 0, m.diags)
	m.opts.Dispatch.report(p, all, m.diags)
	run.embedder, run.stances = m.embedder(p, all), m.stances(run, scenarios, all)
	m.heard.expectSamples(usedEvals(p, all))
	m.judges(run, all)
	if m.opts.Offline {
		m.offline(p, all)
	}
	if !m.opts.Replayed {
		ReportOutside(p, all, m.diags)
	}
	run.host = m.host(p)
	return run
}

// mockable leaves out the tools of modes that do not exist yet; what needs them is refused by name.
func mockable(all []*scenario.Tool) []*scenario.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t *scenario.Tool) bool { return t.Mode != "" && t.Mode != "mock" })
}

func (m *matrix) pick(p *scenario.Project) []*scenario.Scenario {
	var out []*scenario.Scenario
	for _, s := range p.Scenarios {
		byName := m.scenarios.keeps(names(&s.Meta)...)
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

// ReportIdle warns of a scenario that cannot fail; strict makes that an error.
func ReportIdle(p *scenario.Project, s *scenario.Scenario, strict bool, d *diag.List) {
	n := len(p.Globals) + len(s.Conversation)
	for i := range s.Turns {
		n += len(s.Turns[i].Assertions)
	}
	if n > 0 || s.Skip != "" || gates(p, s) || s.Recorded != nil && measures(p, s) {
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

// trials is one scenario over its providers, the regions, the repetitions and the variants.
func (m *matrix) trials(p *project, s *scenario.Scenario) []span {
	chosen := m.selectProviders(p.Project, s)
	prompt, ok := m.prompt(p.Project, s)
	if !ok {
		return nil
	}
	refused := s.Skip == "" && m.refuse(p.Needs(s, prompt, nil))
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
		refusedHere := s.Skip == "" && !m.opts.MockProvider && m.refuse(p.Needs(s, prompt, spec))
		if refused || refusedHere {
			m.unplanned = append(m.unplanned, span{variants: all, count: repeat, Trial: Trial{
				Project: p, Scenario: s, Prompt: prompt, Endpoint: &Endpoint{Spec: spec},
			}})
		}
		if refusedHere {
			continue
		}
		endpoint := m.endpoint(p.Project, spec)
		if endpoint == nil || !m.formed(s, prompt, spec) || refused {
			continue
		}
		m.sampled(prompt, spec)
		for _, region := range m.regions {
			of := repeat * len(all)
			out = append(out, span{variants: all, count: of, Trial: Trial{
				Project: p, Scenario: s, Prompt: prompt, Endpoint: endpoint, Region: region, N: 1, Of: of, Variant: all[0],
				variety: len(all),
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

// maxTrials bounds the trials of a group; the sum over all groups can still be counted.
const maxTrials = 1_000_000_000_000

// formed reports whether a provider that is to answer by a schema has one for this scenario.
func (m *matrix) formed(s *scenario.Scenario, prompt *scenario.Prompt, spec *scenario.Provider) bool {
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

// sampled warns of parameters of the prompt that a provider is not sent.
func (m *matrix) sampled(prompt *scenario.Prompt, spec *scenario.Provider) {
	if prompt == nil || spec.TakesTopK() {
		return
	}
	if params := scenario.ModelParameters(prompt, spec.Model); params.TopK != nil {
		m.diags.Warnf(params.TopKPos, 1, scenario.NoEffect,
			"top_k has no effect with provider %s: OpenAI's servers do not take it", spec.ID).Hint =
			"write top_p, or give the provider the base_url of a server that takes it"
	}
}

// prompt finds the prompt of a scenario by its task type; loading has reported an unknown one.
func (m *matrix) prompt(p *scenario.Project, s *scenario.Scenario) (*scenario.Prompt, bool) {
	prompt, err := p.Prompt(s)
	if err != nil {
		m.diags.Errorf(cmp.Or(s.TaskTypePos, s.Pos), 1, "unknown-prompt", "scenario %q: %v", s.ID, err)
		return nil, false
	}
	return prompt, true
}

// failOn is what the command line and the projects name to make the run red, in the order of result.FailOnWords.
func (m *matrix) failOn(suite *scenario.Suite) []string {
	if m.opts.FailOn != nil && len(m.opts.FailOn) == 0 {
		m.diags.Warnf(diag.Pos{}, 0, "no-effect", "the list of what makes the run red is empty, which changes nothing: %s",
			result.AlwaysRed).Hint = "leave it out; for a report only, pass --exit-zero"
	}
	named := slices.Clone(m.opts.FailOn)
	for _, p := range suite.Projects {
		named = append(named, p.Defaults.FailOn...)
	}
	if m.opts.Strict { // what can only be known at the end has to count as well
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
