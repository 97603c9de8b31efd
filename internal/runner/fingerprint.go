package runner

import (
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// Fingerprints computes the fingerprint of trials: a sum of everything that decides their outcome. That is the
// scenario, the prompt, the provider without its key, tools, checks, judges, mock replies, the content of files,
// flags, the region, the variant and the repetition; not the number of trials in its group. Trials with the same
// fingerprint and the same Surroundings need not run twice. It is safe for concurrent use.
//
// --strict and --lenient count only where they change the answers of a simulated provider. A trial that was judged
// without --strict tells by its warnings whether it holds with it.
//
// A trial has the same fingerprint whether it is recorded, replayed or neither.
//
// Sums that several trials share are computed once.
type Fingerprints struct {
	opts    Options
	base    digest.Sum // of the flags
	asFiles digest.Sum // of the flags without --on-failure
	runSums sync.Map   // of what many trials share

	mu           sync.Mutex
	scenarioSums map[any]digest.Sum              // of what the trials of one scenario share; at most maxScenarioSums
	checkedBy    map[checkersOf][]result.Checker // likewise
}

// maxScenarioSums is how many sums of single scenarios are kept. The trials of a scenario follow each other.
const maxScenarioSums = 256

// NewFingerprints computes the fingerprints of trials that run with these options.
func NewFingerprints(opts *Options) *Fingerprints {
	f := &Fingerprints{opts: *opts}
	const strict = false // part of the hashes in older journals
	var judgeGate *bool  // part of them too; see judges
	sum := func(onFailure string) digest.Sum {
		return scenario.Digest(onFailure, strict, opts.Temperature, opts.MaxTokens, opts.Seed, judgeGate, opts.Only)
	}
	f.base, f.asFiles = sum(opts.OnFailure), sum("")
	return f
}

// flags is a hash of the flags for all trials. A flag that repeats the files does not count.
func (f *Fingerprints) flags(t *Trial) digest.Sum {
	if f.opts.OnFailure == t.onFailure(&Options{}) {
		return f.asFiles
	}
	return f.base
}

// Of returns the fingerprint of a trial, in hexadecimal digits.
func (f *Fingerprints) Of(t *Trial) string {
	sums := [...]digest.Sum{
		f.flags(t), f.project(t.Project), f.scenario(t), f.prompts(t),
		f.provider(t.Project.Project, t.Endpoint.Spec),
		f.mocks(t), f.judges(t), f.priorConversation(t),
		scenario.Digest(t.Region, number(t), t.Variant.sorted(), t.Endpoint.Simulated),
	}
	b := make([]byte, 0, len(sums)*len(sums[0]))
	for _, s := range sums {
		b = append(b, s[:]...)
	}
	b = append(b, leniency(t)...)
	if len(t.players) > 0 || t.summarizer != nil || len(t.painters) > 0 {
		others := f.others(t)
		b = append(b, others[:]...)
	}
	sum := scenario.Digest(b)
	return hex.EncodeToString(sum[:])
}

// number distinguishes trials that ask the same. For a replay it is the number of the conversation with the answers.
func number(t *Trial) int {
	if t.Endpoint.Spec.Type == scenario.ReplayType {
		return t.N
	}
	return t.Repetition()
}

// others sums the models other than the agent, with their canned replies.
func (f *Fingerprints) others(t *Trial) digest.Sum {
	var sums []any
	for _, e := range t.others() {
		own := *t
		own.Endpoint = e
		sums = append(sums, f.provider(t.Project.Project, e.Spec), f.mocks(&own), leniency(&own), e.Simulated)
		if e.Spec.Type == scenario.ReplayType {
			sums = append(sums, t.N)
		}
	}
	return scenario.Digest(sums...)
}

// leniency is how flags make a simulated provider answer without a scripted reply.
func leniency(t *Trial) string {
	switch kind := t.Endpoint.Spec.Type; {
	case kind == scenario.ReplayType && t.Project.strict:
		return "strict"
	case kind == scenario.MockType && t.Project.lenient:
		return "lenient"
	}
	return ""
}

// shareForRun computes a sum once in a run.
func (f *Fingerprints) shareForRun(key any, sum func() digest.Sum) digest.Sum {
	if known, ok := f.runSums.Load(key); ok {
		return known.(digest.Sum)
	}
	made := sum()
	f.runSums.Store(key, made)
	return made
}

// shareForScenario computes a sum that only the trials of one scenario need. It keeps the latest ones.
func (f *Fingerprints) shareForScenario(key any, sum func() digest.Sum) digest.Sum {
	f.mu.Lock()
	known, ok := f.scenarioSums[key]
	f.mu.Unlock()
	if ok {
		return known
	}
	made := sum()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.scenarioSums) >= maxScenarioSums {
		clear(f.scenarioSums)
	}
	if f.scenarioSums == nil {
		f.scenarioSums = map[any]digest.Sum{}
	}
	f.scenarioSums[key] = made
	return made
}

// project sums what all trials of a project share.
func (f *Fingerprints) project(p *project) digest.Sum {
	return f.shareForRun(p, func() digest.Sum {
		common := p.basis
		common.judge = "" // counts only where a judge is asked
		decides := []any{p.Project, common}
		if q := embeddingProvider(p.Project); q != nil {
			decides = append(decides, f.provider(p.Project, q))
		}
		if files := skillFiles(p.Project); len(files) > 0 {
			decides = append(decides, files)
		}
		return scenario.Digest(decides...)
	})
}

// basis are the options of the plan that affect all trials of a project. The names of this type and its fields are part
// of the fingerprints in journals.
type basis struct {
	mocked   bool
	judge    string
	dispatch DispatchMode
}

// Surroundings returns a sum of what the programs, servers, endpoints and scoring agents of a plan take from outside of
// its files: the programs themselves, the files that their command lines name, and environment variables. It is "" when
// there is nothing. Fingerprints do not include it: a replay needs none of it.
func Surroundings(plan *Plan) string {
	files, seen := programSums{}, map[*project]bool{}
	for t := range plan.Groups() {
		p := t.Project
		if own := t.Scenario.Agent; own != nil {
			files.add(own.Program.Dir, own.Program.Command[0], own.Program.Command[1:])
		}
		if seen[p] {
			continue
		}
		seen[p] = true
		for _, h := range p.Handlers {
			files.add(h.Dir, h.Command, h.Args)
		}
		for _, spec := range p.Providers {
			if e := spec.Program; e != nil && len(e.Command) > 0 {
				files.add(e.Dir, e.Command[0], e.Command[1:])
			}
		}
		serverFiles(p.Project, files)
		environment(p.Project, files)
		for _, tool := range p.Project.Tools {
			if e := tool.Exec; e != nil {
				files.add(e.Dir, e.Command, e.Args)
			}
		}
	}
	if len(files) == 0 {
		return ""
	}
	sum := scenario.Digest(files)
	return hex.EncodeToString(sum[:])
}

// scenario sums the scenario, and the row by its content and name, wherever the row is in its file.
func (f *Fingerprints) scenario(t *Trial) digest.Sum {
	s := t.shared()
	sum := f.shareForScenario(s, func() digest.Sum {
		if w := s.Window; w != nil && w.Relevance != nil {
			spec := *relevanceProvider(t.Project.Project, w.Relevance)
			own := (&Fingerprints{}).provider(t.Project.Project, &spec)
			return scenario.Digest(s, own[:])
		}
		return scenario.Digest(s)
	})
	if t.row == 0 {
		return sum
	}
	return scenario.Digest(append([]any{sum[:]}, rowDecides(t.filled().Scenario)...)...)
}

// prompts hashes the prompts that the trial may use: of its start, of all reachable states, and of their steps. The
// workflow itself is part of the project.
func (f *Fingerprints) prompts(t *Trial) digest.Sum {
	if t.Start == nil {
		return f.prompt(t.Prompt)
	}
	return f.shareForScenario(statesOf{t.Project, t.shared()}, func() digest.Sum {
		sums := []any{t.Start.Name, f.prompt(t.Prompt)}
		for _, state := range t.Project.Workflow.Graph.From(t.Start) {
			sums = append(sums, f.prompt(t.Project.PromptOf(state)))
		}
		for _, c := range t.Project.Project.CompositionsFor(t.Scenario) {
			for step := range c.All() {
				sums = append(sums, f.prompt(t.Project.PromptOfStep(step)))
			}
		}
		return scenario.Digest(sums...)
	})
}

// statesOf is a scenario in a project whose prompts are summed.
type statesOf struct {
	p *project
	s *scenario.Scenario
}

func (f *Fingerprints) prompt(p *scenario.Prompt) digest.Sum {
	if p == nil {
		return digest.Sum{}
	}
	return f.shareForRun(p, func() digest.Sum { return scenario.Digest(p) })
}

// provider sums a provider of a project without its key, also where a header or the address holds one.
func (f *Fingerprints) provider(of *scenario.Project, p *scenario.Provider) digest.Sum {
	return f.shareForRun(p, func() digest.Sum {
		headers := map[string]string{}
		for name, value := range p.Headers {
			if secretName(name) {
				value = ""
			}
			headers[strings.ToLower(name)] = value
		}
		decides := []any{p, headers, keyless(p.BaseURL)}
		if p.Replay != nil {
			for _, path := range p.Replay.Recordings {
				decides = append(decides, f.file(path))
			}
		}
		if of != nil && of.Getenv != nil {
			if taken := variables(of.Getenv, p.AddressVariables()); len(taken) > 0 {
				decides = append(decides, taken)
			}
		}
		return scenario.Digest(decides...)
	})
}

// sourceOf identifies the model and server that answer, with their settings. It is "" for an endpoint that makes no
// calls.
func sourceOf(e *Endpoint) string {
	if e.Simulated || e.Client == nil || e.Spec.Type == scenario.ProviderOfProgram ||
		scenario.ProviderTypeOf(e.Spec.Type).Agent { // code may have changed
		return ""
	}
	sum := (&Fingerprints{}).provider(nil, e.Spec)
	sum = scenario.Digest(sum[:], keyless(providers.Address(e.Client)))
	return hex.EncodeToString(sum[:6])
}

// keyless removes credentials from an address.
func keyless(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.Query()
	for name := range query {
		if secretName(name) {
			query.Del(name)
		}
	}
	u.User, u.RawQuery = nil, query.Encode()
	return u.String()
}

// secretName reports whether a header or a parameter of that name may hold a key.
func secretName(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"auth", "key", "token", "secret", "cookie", "signature", "password"},
		func(word string) bool { return strings.Contains(name, word) }) || name == "sig"
}

// mocks sums the replies that mock files have for the scenario. Replies for all scenarios are part of the project.
func (f *Fingerprints) mocks(t *Trial) digest.Sum {
	if !t.Endpoint.Simulated {
		return digest.Sum{}
	}
	var found []any
	for _, file := range []*scenario.MockFile{t.Project.Mock, t.Endpoint.Spec.Mock} {
		if file == nil {
			continue
		}
		for _, name := range []string{t.Scenario.ID, t.Scenario.Alias} {
			if m := file.Scenarios[name]; m != nil {
				found = append(found, f.shareForScenario(m, func() digest.Sum { return scenario.Digest(m) }))
			}
		}
	}
	if len(found) == 0 {
		return digest.Sum{}
	}
	return scenario.Digest(found...)
}

// judgedScenario is the key of the judges of a scenario.
type judgedScenario struct {
	p *project
	s *scenario.Scenario
}

// judges sums the models that judge a scenario, with their prompts.
func (f *Fingerprints) judges(t *Trial) digest.Sum {
	p := t.Project
	if p.judges == nil || p.judgePrompts == nil {
		return digest.Sum{}
	}
	return f.shareForScenario(judgedScenario{p, t.shared()}, func() digest.Sum {
		asked := f.judgesOf(p, t.shared())
		if len(asked) > 0 && f.opts.JudgeGate != nil {
			asked = append(asked, *f.opts.JudgeGate)
		}
		return scenario.Digest(asked...)
	})
}

// judgesOf are the sums of the models that judge a scenario, with their prompts.
func (f *Fingerprints) judgesOf(p *project, s *scenario.Scenario) (asked []any) {
	f.eachJudge(p, s, func(_ grading.JudgeUse, decides []any) { asked = append(asked, decides...) })
	if len(asked) > 0 && p.basis.judge != "" {
		asked = append(asked, p.basis.judge)
	}
	return asked
}

// eachJudge visits what decides how a scenario is judged: for each judge of each check the model and the prompts.
func (f *Fingerprints) eachJudge(p *project, s *scenario.Scenario, visit func(use grading.JudgeUse, decides []any)) {
	if p.judges == nil || p.judgePrompts == nil {
		return
	}
	inventory.EachCheck(p.Project, []*scenario.Scenario{s}, func(c *checks.Compiled) {
		for _, need := range c.JudgeUses() {
			decides := []any{need.Use}
			if spec := p.judgeModels[need.Use]; spec != nil {
				decides = append(decides, f.provider(p.Project, spec))
			}
			for _, id := range []string{need.Prompt, p.judgePrompts.Default} {
				decides = append(decides, p.judgePrompts.Texts[id])
			}
			visit(need.Use, decides)
		}
	})
}

// priorConversation sums the conversation of a trial that is recorded or judged again.
func (f *Fingerprints) priorConversation(t *Trial) digest.Sum {
	switch {
	case t.Finished != nil:
		return scenario.Digest("past", t.Finished.Brief.ID, t.Finished.content())
	case t.Recorded != nil:
		return scenario.Digest("recorded", f.file(t.Recorded.File), t.Recorded.index)
	}
	return digest.Sum{}
}

// content is the whole finished trial, as it affects how it is judged. An unreadable trial equals only itself.
func (f *Finished) content() []byte {
	if f.Raw == nil {
		return nil
	}
	raw, err := f.Raw()
	if err != nil {
		return []byte(err.Error())
	}
	sum := scenario.Digest(raw)
	return sum[:]
}

// recordedFile is the path of a recording, as a key for the sum of its content.
type recordedFile string

func (f *Fingerprints) file(path string) digest.Sum {
	return f.shareForRun(recordedFile(path), func() digest.Sum { return scenario.Digest(scenario.FileDigest(path)) })
}
