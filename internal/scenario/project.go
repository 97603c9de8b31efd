package scenario

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/dataset"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/skill"
)

// build is a project that is being loaded.
type build struct {
	l         *loader
	p         *Project
	in        *input
	places    *pathBases
	getenv    func(string) (string, bool)
	arena     *arenaFile
	fragments map[string]string // of the pack
	unbound   []*Tool           // of the pack, without implementation
	packEvals []*Eval           // of the pack
	asked     []*Prompt         // of packs that the command line asks for by name
	hidden    []hiddenPrompt
	skillList []*skill.Skill
	ownSkills int // how many of the skills, the first ones, are from the config
	jobs      []*fileJob
	inline    *content // resources in the config file itself
	refs      []reference
	tags      []selectable
	late      []lateCheck
	given     []givenVariable
	named     []string          // variables in names and paths of files
	reported  map[diag.Pos]bool // positions of variables with problems
	datasets  map[string]*dataset.File
	mocks     map[string]*mockNames // by path

	looseMocks []string   // mock files named or found beside loose files
	recordings []diag.Pos // named or found among loose files

	// broken are the kinds with unreadable resources, to which references cannot be checked.
	broken map[kind]bool
}

// project loads a config with everything that it names, or loose files.
func (l *loader) project(in *input) *build {
	b := &build{
		l: l, in: in, p: &Project{File: in.config}, arena: &arenaFile{}, mocks: map[string]*mockNames{},
		broken: map[kind]bool{}, reported: map[diag.Pos]bool{},
	}
	dir := "."
	if in.config != "" {
		dir = filepath.Dir(in.config)
	}
	b.places = &pathBases{fs: l.fs, config: dir, run: dir}
	b.getenv, b.p.Dotenv = l.withDotenv(dir)
	b.p.Getenv = b.getenv
	if in.config != "" && !b.config() {
		return nil
	}
	b.p.Dir = l.fs.access(b.places.run)
	b.list()
	listings := b.listings()
	b.arena.scenarios, b.arena.evals = nil, nil // with their nodes: there may be very many
	parts := b.readAll()
	b.noteUnlisted(listings)
	for _, j := range b.jobs {
		if j.want != "" && j.empty {
			b.broken[j.want] = true
		}
	}
	b.jobs = nil // the same
	b.merge(parts)
	b.finish()
	b.p.passDotenv()
	return b
}

// streamedFiles is the number of files from which contents are merged while files are read.
const streamedFiles = 256

// readAll reads the files of the project: everything but scenarios first, then the mock replies, then the scenarios.
func (b *build) readAll() []*content {
	parts := make([]*content, len(b.jobs))
	var scenarios, others []int
	for i, j := range b.jobs {
		if j.want == kindScenario || j.want == "" {
			scenarios = append(scenarios, i)
		} else {
			others = append(others, i)
		}
	}
	read := func(i int) *content {
		c := b.l.read(b, b.jobs[i])
		b.jobs[i].empty = c.size() == 0
		return c
	}
	parallel(len(others), func(i int) { parts[others[i]] = read(others[i]) })
	for _, i := range others {
		b.readMocks(parts[i].providers)
	}
	few := slices.Collect(slices.Chunk(scenarios, 1+len(scenarios)/streamedFiles))
	parallel(len(few), func(k int) {
		var whole *content
		for _, i := range few[k] {
			switch c := read(i); {
			case b.jobs[i].want != kindScenario:
				parts[i] = c
			case whole == nil:
				whole, parts[i] = c, c
			default:
				whole.merge(c)
			}
		}
	})
	return slices.DeleteFunc(parts, func(c *content) bool { return c == nil })
}

// config reads the config; false when it cannot be used.
func (b *build) config() bool {
	data, problem := b.l.fs.read(b.in.config)
	if problem != nil {
		if named := b.l.opts.Config; named != "" {
			problem.msg = "-c " + named + ": " + problem.msg
			if all := b.l.configsIn("."); problem.hint == "" && len(all) > 0 {
				problem.hint = fmt.Sprintf("did you mean %q?", all[0])
			}
		}
		b.l.fail(namedAt{}, problem)
		return false
	}
	d := b.l.decoder(b.in.config, b.places, b.getenv)
	defer b.l.report(d)
	docs := d.documents(data, kindArena)
	if len(docs) == 0 && d.Diags.Errors() == 0 {
		d.Diags.Errorf(diag.Pos{File: b.in.config}, 0, "empty-file", "%q is empty", b.in.config)
	}
	var first *document
	for i := range docs {
		switch {
		case docs[i].kind != kindArena:
		case first == nil:
			first = &docs[i]
		default:
			d.Diags.Errorf(d.Pos(docs[i].root), 1, "second-config",
				"the file holds a second arena config; the first is on line %d", first.root.Line)
			b.broken[kindScenario] = true
		}
	}
	if first == nil {
		if len(docs) > 0 {
			b.l.diags.Errorf(diag.Pos{}, 0, "wrong-kind", "%q is of kind %s, not an arena config", b.in.config, docs[0].kind).
				Hint = notByConfig(docs[0].kind, b.in.config)
		}
		return false
	}
	b.p.Name = first.meta.ID
	if a := d.arena(*first); a != nil {
		b.arena = a
		b.apply(a)
	}
	b.own(d, docs)
	return true
}

// apply takes over the settings of the config.
func (b *build) apply(a *arenaFile) {
	b.p.Defaults, b.p.Judges, b.p.Globals = a.Defaults, a.judges, a.globals
	b.p.AllScenarios = b.in.config != "" && b.in.only == nil
	b.p.Roles, b.p.SelfPlay = a.roles, a.selfPlay
	b.p.Workflow, b.p.Compositions, b.p.Memory = a.workflow, a.compositions, a.memory
	b.skillList, b.p.Agents, b.p.Servers = a.skills, a.agents, a.servers
	b.ownSkills = len(a.skills)
	if a.configDir != "" {
		b.places.run = join(b.places.config, a.configDir)
	}
}

// own reads the rest of the config's file: other documents, inline resources, the runtime.
func (b *build) own(d *decoder, docs []document) {
	c := &content{}
	if pack := b.arena.pack; pack != nil { // first: prompts may use its fragments
		b.pack(d, pack)
	}
	d.packFragments = b.fragments
	for _, doc := range docs {
		if doc.kind != kindArena {
			d.addDocument(c, doc)
		}
	}
	for _, doc := range b.arena.inline {
		d.addDocument(c, doc)
	}
	if b.arena.runtime != nil {
		if r := d.runtime(b.arena.runtime); r != nil {
			for _, doc := range r.tools {
				d.addDocument(c, doc)
			}
			c.handlers, c.servers = append(c.handlers, r.handlers...), append(c.servers, r.servers...)
			if len(r.providers) > 0 {
				d.Warnf(r.listed, NoEffect, "providers has no effect: scenarios are not run against those under runtime").
					Hint = "list them under providers, or in provider_specs"
			}
		}
	}
	if b.in.only != nil { // only other files of the config were asked for
		c.scenarios, c.evals = nil, nil
	}
	d.notes(c)
	b.inline = c
}

// pack reads the pack that the config names.
func (b *build) pack(d *decoder, ref *fileRef) {
	j := &fileJob{want: kindPack, path: b.fromConfig(ref.path), at: d.at(ref.at)}
	j.asked = slices.ContainsFunc(b.in.extra, func(f inputFile) bool { return f.pack && f.path == j.path })
	c := b.l.read(b, j)
	b.takePack(c)
	if len(c.packs) == 0 {
		b.broken[kindPrompt], b.broken[kindTool] = true, true
	}
}

// takePack adds the contents of a pack. The project's own resources have precedence.
func (b *build) takePack(c *content) {
	for _, p := range c.packs {
		if p.asked {
			b.asked = append(b.asked, p.prompts...)
		} else {
			b.p.Prompts = append(b.p.Prompts, p.prompts...)
		}
		b.unbound = append(b.unbound, p.tools...)
		b.packEvals = MergeEvals(b.packEvals, p.evals)
		b.fragments = p.fragments
		for _, c := range p.compositions {
			own := b.p.Composition(c.Name)
			if own == nil {
				b.p.Compositions = append(b.p.Compositions, c)
			} else if !own.same(c) {
				b.l.diags.Warnf(c.Pos, 1, NoEffect,
					"the composition %q of the pack is not used: the config has another one of this name, at %s", c.Name, own.Pos)
			}
		}
		b.skillList = append(b.skillList, p.skills...)
		switch {
		case b.p.Workflow == nil:
			b.p.Workflow = p.workflow
		case p.workflow != nil:
			b.l.diags.Warnf(p.workflow.Pos, 1, NoEffect, "the workflow of the pack is not used: the config has its own")
		}
	}
	b.refs = append(b.refs, c.refs...)
	b.tags = append(b.tags, c.tags...)
	b.late = append(b.late, c.late...)
	b.p.Open = append(b.p.Open, c.opens...)
	b.p.Later = append(b.p.Later, c.later...)
}

func (d *decoder) at(n *node.Node) namedAt {
	return namedAt{d.Pos(n), len([]rune(n.Value))}
}

// list makes the jobs: one for every file that the config or the command line names.
func (b *build) list() {
	a, file := b.arena, b.in.config
	where := func(r fileRef) namedAt {
		return namedAt{diag.Pos{File: file, Line: int32(r.at.Line), Col: int32(r.at.Column)}, len([]rune(r.at.Value))}
	}
	for _, r := range a.prompts {
		job := fileJob{want: kindPrompt, id: r.id, vars: r.vars, given: r.given}
		if r.idAt != nil {
			job.idPos = where(fileRef{at: r.idAt}).pos
		}
		b.add(job, r.fileRef, where)
	}
	for _, r := range a.providers {
		job := fileJob{want: kindProvider, group: r.group}
		if r.groupAt != nil {
			job.groupAt = where(fileRef{at: r.groupAt}).pos
		}
		b.add(job, r.fileRef, where)
	}
	for kind, refs := range map[kind][]fileRef{
		kindScenario: a.scenarios, kindEval: a.evals, kindTool: a.tools, kindPersona: a.personas,
	} {
		for _, r := range refs {
			b.add(fileJob{want: kind}, r, where)
		}
	}
	for _, f := range b.in.extra {
		if a.pack != nil && f.path == b.fromConfig(a.pack.path) {
			continue // it is the project's own
		}
		j := &fileJob{path: f.path}
		if f.pack {
			j.want, j.asked = kindPack, true
		}
		b.jobs = append(b.jobs, j)
	}
	b.distinct()
	if only := b.in.only; only != nil {
		b.jobs = slices.DeleteFunc(b.jobs, func(j *fileJob) bool {
			return (j.want == kindScenario || j.want == kindEval) && !only[j.path]
		})
	}
}

// fromConfig is a path that the config names, as displayed.
func (b *build) fromConfig(path string) string { return b.l.fs.show(join(b.places.config, path)) }

// add makes the jobs of one reference: a file, or all that match a pattern.
func (b *build) add(j fileJob, r fileRef, where func(fileRef) namedAt) {
	if r.path == "" {
		b.broken[j.want] = true
		return
	}
	j.path, j.at = b.fromConfig(r.path), where(r)
	if !b.l.fs.isGlob(j.path) {
		b.jobs = append(b.jobs, &j)
		return
	}
	matches, err := b.l.fs.glob(j.path)
	if err != nil || len(matches) == 0 {
		b.l.fail(j.at, b.l.fs.noMatch(j.path))
		b.broken[j.want] = true
	}
	for _, m := range matches {
		if !b.l.fs.isDir(m) {
			one := j
			one.path, one.globbed = m, true
			b.jobs = append(b.jobs, &one)
		}
	}
}

// distinct keeps one job for each file and kind. Naming a file twice is a mistake, unless a pattern matches it too.
func (b *build) distinct() {
	slices.SortStableFunc(b.jobs, func(x, y *fileJob) int {
		return cmp.Or(cmp.Compare(x.want, y.want), cmp.Compare(x.at.pos.Line, y.at.pos.Line))
	})
	type key struct {
		want kind
		path string
	}
	first := map[key]*fileJob{}
	b.jobs = slices.DeleteFunc(b.jobs, func(j *fileJob) bool {
		k := key{j.want, j.path}
		earlier := first[k]
		if earlier == nil || earlier.globbed && !j.globbed {
			first[k] = j
		}
		if earlier == nil {
			return false
		}
		if !j.globbed && !earlier.globbed && j.want != "" && j.want != kindPrompt {
			b.l.diags.Errorf(j.at.pos, j.at.width, "duplicate-reference", "%q is already listed on line %d", j.path,
				earlier.at.pos.Line)
		}
		return j.want != kindPrompt // one prompt file may serve several entries with their own vars
	})
}

// merge joins the contents of the files, in the order of their names in the config.
func (b *build) merge(parts []*content) {
	p := b.p
	var prompts []*Prompt
	if b.inline != nil {
		parts = append(parts, b.inline)
	}
	for _, c := range parts {
		p.Scenarios = append(p.Scenarios, c.scenarios...)
		p.Providers = append(p.Providers, c.providers...)
		p.Tools = append(p.Tools, c.tools...)
		p.Personas = append(p.Personas, c.personas...)
		p.Evals = append(p.Evals, c.evals...)
		p.Handlers = append(p.Handlers, c.handlers...)
		p.Servers = append(p.Servers, c.servers...)
		prompts = append(prompts, c.prompts...)
		if len(c.packs) > 0 {
			b.takePack(c)
			continue
		}
		b.looseMocks, b.recordings = append(b.looseMocks, c.mocks...), append(b.recordings, c.recordings...)
		b.refs = append(b.refs, c.refs...)
		b.tags = append(b.tags, c.tags...)
		b.given = append(b.given, c.given...)
		b.named = append(b.named, c.named...)
		b.late = append(b.late, c.late...)
		p.Open = append(p.Open, c.opens...)
		p.Later = append(p.Later, c.later...)
	}
	p.Tools = append(p.Tools, b.arena.agentTools...)
	// The project's own prompts have precedence over its pack, and those of a pack on the command line over both.
	prompts = b.replacePrompts(prompts, b.asked)
	p.Prompts = b.replacePrompts(p.Prompts, slices.Concat(b.asked, prompts))
	p.Prompts = slices.Concat(b.asked, prompts, p.Prompts)
	b.replaceTools()
	for _, t := range b.unbound {
		p.Later = append(p.Later, Feature{Name: "tools of a pack without an implementation", Pos: t.Pos, Tool: t.ID})
	}
	p.PackEvals, p.ArenaEvals = b.packEvals, b.arena.packEvals
}

// finish checks the project as a whole.
func (b *build) finish() {
	if b.in.config != "" && b.arena.nothing && !b.l.opts.Bare && len(b.p.Scenarios)+len(b.p.Evals) == 0 {
		b.l.diags.Errorf(diag.Pos{File: b.in.config}, 0, "nothing-to-run", "the config names no scenarios and no evals").
			Hint = "add scenarios: [{file: scenarios/….yaml}], or write scenarios: [] if that is meant"
		b.broken[kindScenario] = true
	}
	b.duplicates()
	b.claimedNames()
	b.similarTags()
	b.compileLate()
	b.evalMetrics()
	b.reportReplacedEvals()
	b.reportHiddenPrompts()
	b.idlePersonas()
	b.warnUnusedGoals()
	slices.SortStableFunc(b.p.Scenarios, func(x, y *Scenario) int { return cmp.Compare(x.ID, y.ID) })
	b.settleServers()
	b.workflow()
	b.compositions()
	b.seedMemories()
	b.skills()
	b.price()
	b.ownToolsTwice()
	b.resolve() // the names from features are known by now
	b.loadMocks()
	b.templates()
	b.unread()
}
