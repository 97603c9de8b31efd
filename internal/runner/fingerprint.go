package runner

import (
	"encoding/hex"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Fingerprints tells trials apart by all that decides what comes of them: the scenario, the prompt, the provider
// without its key, tools, checks, judges, mock replies, files by their content, what flags change, and the trial's
// variant, its number among those of the variant, and region; not how many others there are of its kind. Two trials with
// the same fingerprint ask for the same. It is safe for concurrent use.
//
// Of --strict and --lenient counts only what changes the answers of a simulated provider. Whether a trial that was
// judged without --strict stands under it, its warnings say.
//
// A trial that is recorded, or answered from such a recording, has the fingerprint of one that is not.
//
// What is shared by many trials is summed up once, when the first of them asks.
type Fingerprints struct {
	base   digest.Sum
	shared sync.Map // sums of what many trials share, by what is summed up

	mu  sync.Mutex
	own map[any]digest.Sum // of what the trials of one scenario share; forgotten after a number of scenarios
}

// ownSums is how many sums of single scenarios are remembered. The trials of a scenario follow each other.
const ownSums = 256

// NewFingerprints makes the fingerprints of trials that run with these options.
func NewFingerprints(opts *Options) *Fingerprints {
	f := &Fingerprints{}
	const strict = false // it has a place in the sums of older journals
	f.base = scenario.Digest(opts.OnFailure, strict, opts.Temperature, opts.MaxTokens, opts.Seed, opts.JudgeGate,
		opts.Only)
	return f
}

// Of is the fingerprint of a trial.
func (f *Fingerprints) Of(t *Trial) string {
	sums := [...]digest.Sum{
		f.base, f.project(t.Project), f.scenario(t.Scenario), f.prompt(t.Prompt), f.provider(t.Endpoint.Spec),
		f.mocks(t), f.judges(t), f.before(t),
		scenario.Digest(t.Region, number(t), t.Variant.sorted(), t.Endpoint.Simulated),
	}
	b := make([]byte, 0, len(sums)*len(sums[0]))
	for _, s := range sums {
		b = append(b, s[:]...)
	}
	b = append(b, manner(t)...)
	sum := scenario.Digest(b)
	return hex.EncodeToString(sum[:])
}

// number is what tells a trial from others that ask for the same. Of a replay it is that of the conversation in which
// the answers are looked for.
func number(t *Trial) int {
	if t.Endpoint.Spec.Type == replayType {
		return t.N
	}
	return t.Repetition()
}

// manner is how the flags have a provider answer that has no answer of its own.
func manner(t *Trial) string {
	switch kind := t.Endpoint.Spec.Type; {
	case kind == replayType && t.Project.strict:
		return "strict"
	case kind == mockType && t.Project.lenient:
		return "lenient"
	}
	return ""
}

// once sums up what key stands for, once.
func (f *Fingerprints) once(key any, sum func() digest.Sum) digest.Sum {
	if known, ok := f.shared.Load(key); ok {
		return known.(digest.Sum)
	}
	made := sum()
	f.shared.Store(key, made)
	return made
}

// lately sums up what key stands for, which only the trials of one scenario ask for.
func (f *Fingerprints) lately(key any, sum func() digest.Sum) digest.Sum {
	f.mu.Lock()
	known, ok := f.own[key]
	f.mu.Unlock()
	if ok {
		return known
	}
	made := sum()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.own) >= ownSums {
		clear(f.own)
	}
	if f.own == nil {
		f.own = map[any]digest.Sum{}
	}
	f.own[key] = made
	return made
}

// project is what the trials of a project share, whichever of them are run.
func (f *Fingerprints) project(p *project) digest.Sum {
	return f.once(p, func() digest.Sum {
		decides := []any{p.Project, p.basis}
		if q := embeddingProvider(p.Project); q != nil {
			decides = append(decides, f.provider(q))
		}
		return scenario.Digest(decides...)
	})
}

// basis is what the plan decides for all trials of a project.
type basis struct {
	mocked   bool
	judge    string
	dispatch DispatchMode
}

// Programs sums up the files of the programs that score in a plan; "" when there are none. It is no part of the
// fingerprints: those are the same where a recording answers for the programs, which need not be there then.
func Programs(plan *Plan) string {
	files, seen := map[string]string{}, map[*project]bool{}
	for t := range plan.Groups() {
		p := t.Project
		if seen[p] {
			continue
		}
		seen[p] = true
		for _, h := range p.Handlers {
			programFiles(h, files)
		}
	}
	if len(files) == 0 {
		return ""
	}
	sum := scenario.Digest(files)
	return hex.EncodeToString(sum[:])
}

// programFiles sums up the files among the words that start a program: it, and what it is told to read.
func programFiles(h *scenario.Handler, files map[string]string) {
	for _, word := range append([]string{h.Command}, h.Args...) {
		path := word
		if !filepath.IsAbs(path) {
			path = filepath.Join(h.Dir, path)
		}
		if sum := scenario.FileDigest(path); len(sum) > 0 {
			files[word] = string(sum)
		}
	}
}

func (f *Fingerprints) scenario(s *scenario.Scenario) digest.Sum {
	return f.lately(s, func() digest.Sum { return scenario.Digest(s) })
}

func (f *Fingerprints) prompt(p *scenario.Prompt) digest.Sum {
	if p == nil {
		return digest.Sum{}
	}
	return f.once(p, func() digest.Sum { return scenario.Digest(p) })
}

// provider is a provider without its key. A key that stands in a header or an address is left out as well.
func (f *Fingerprints) provider(p *scenario.Provider) digest.Sum {
	return f.once(p, func() digest.Sum {
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
		return scenario.Digest(decides...)
	})
}

// sourceOf tells who answers from who else might: it is the same text as long as the same model at the same place does,
// with the same settings. "" for one that invents its answers.
func sourceOf(e *Endpoint) string {
	if e.Simulated || e.Client == nil {
		return ""
	}
	sum := (&Fingerprints{}).provider(e.Spec)
	sum = scenario.Digest(sum[:], keyless(providers.Address(e.Client)))
	return hex.EncodeToString(sum[:6])
}

// keyless is an address without what gives access to it.
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

// mocks are the replies that mock files have for the scenario. What they have for all is part of what names them.
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
				found = append(found, f.lately(m, func() digest.Sum { return scenario.Digest(m) }))
			}
		}
	}
	if len(found) == 0 {
		return digest.Sum{}
	}
	return scenario.Digest(found...)
}

// judgedScenario is a scenario in a project, of which the judges are summed up.
type judgedScenario struct {
	p *project
	s *scenario.Scenario
}

// judges are the models that the checks of the scenario ask, and what these are told to be.
func (f *Fingerprints) judges(t *Trial) digest.Sum {
	p := t.Project
	if p.judges == nil || p.prompts == nil {
		return digest.Sum{}
	}
	return f.lately(judgedScenario{p, t.Scenario}, func() digest.Sum {
		var asked []any
		eachCheck(p.Project, []*scenario.Scenario{t.Scenario}, func(c *checks.Compiled) {
			for _, need := range c.JudgeUses() {
				asked = append(asked, need.Use)
				if spec := p.asked[need.Use]; spec != nil {
					asked = append(asked, f.provider(spec))
				}
				for _, id := range []string{need.Prompt, p.prompts.Default} {
					asked = append(asked, p.prompts.Texts[id])
				}
			}
		})
		return scenario.Digest(asked...)
	})
}

// before is what was said and done before, where the trial takes it from there.
func (f *Fingerprints) before(t *Trial) digest.Sum {
	switch {
	case t.Past != nil:
		return scenario.Digest("past", t.Past.Brief.ID)
	case t.Recorded != nil:
		return scenario.Digest("recorded", f.file(t.Recorded.File), t.Recorded.index)
	}
	return digest.Sum{}
}

// recordedFile is the path of a recording, of which the content is summed up.
type recordedFile string

func (f *Fingerprints) file(path string) digest.Sum {
	return f.once(recordedFile(path), func() digest.Sum { return scenario.Digest(scenario.FileDigest(path)) })
}
