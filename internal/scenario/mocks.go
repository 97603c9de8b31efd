package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// readMocks reads the mock files that providers name, each once.
func (b *build) readMocks(providers []*Provider) {
	for _, q := range providers {
		if _, done := b.mocks[q.MockFile]; q.MockFile != "" && !done {
			if shared := b.l.shared; shared != nil && shared.file.File == q.MockFile {
				b.mocks[q.MockFile] = shared
				continue
			}
			b.mocks[q.MockFile] = b.l.mockFile(q.MockFile, namedAt{q.MockPos, 1}, b.places)
		}
	}
}

// loadMocks gives the providers their mock replies and compares the names in these with those of the project.
func (b *build) loadMocks() {
	b.readMocks(b.p.Providers)
	compared := map[*mockNames]bool{}
	for _, q := range b.p.Providers {
		if q.MockFile == "" {
			continue
		}
		m := b.mocks[q.MockFile]
		q.MockFile = b.l.fs.access(q.MockFile)
		if m == nil {
			continue
		}
		q.Mock = m.file
		if !compared[m] {
			compared[m] = true
			b.l.mockNames(m, b)
		}
	}
}

// readShared reads the file of --mock-config, which is for all projects. Mock files are read before the scenarios,
// because parsing a large one needs much memory.
func (l *loader) readShared() *mockNames {
	if l.opts.MockConfig == "" {
		return nil
	}
	m := l.mockFile(l.fs.show(l.opts.MockConfig), namedAt{}, &pathBases{fs: l.fs, config: ".", run: "."})
	if m != nil {
		m.file.First = true
	}
	return m
}

// sharedMock assigns the replies of --mock-config to the projects, or else each project the mock file among its loose
// files.
func (l *loader) sharedMock(m *mockNames, builds []*build) {
	switch {
	case m != nil:
		l.mockNames(m, builds...)
		for _, b := range builds {
			b.p.Mock = m.file
		}
	case l.opts.MockConfig == "":
		for _, b := range builds {
			b.looseMock()
		}
	}
}

// looseMock uses the mock file among loose files that no provider names.
func (b *build) looseMock() {
	var own *mockNames
	for _, file := range b.looseMocks {
		if _, named := b.mocks[file]; named {
			continue
		}
		m := b.l.mockFile(file, namedAt{}, b.places)
		if m == nil {
			continue
		}
		if own != nil {
			b.l.diags.Errorf(diag.Pos{File: file}, 0, "several-mocks", "there is a second mock response file; the first is %q",
				own.file.File).Hint = "choose one with --mock-config"
			return
		}
		own = m
		b.l.mockNames(m, b)
		b.p.Mock = m.file
	}
}

// mockFile reads a mock response file; at is the place that names it.
func (l *loader) mockFile(file string, at namedAt, where *pathBases) *mockNames {
	data, why := l.fs.take(file)
	if why != nil {
		if at.pos.File == "" && why.code == MissingFile {
			why.msg = "--mock-config: " + why.msg
			why.hint = cmp.Or(why.hint, "`arena mocks generate` writes one, `arena docs mock` shows one")
		} else {
			why.msg = "mock responses: " + why.msg
		}
		l.fail(at, why)
		return nil
	}
	d := l.decoder(file, where, l.getenv)
	defer l.report(d)
	docs := node.Parse(&d.Reader, data)
	switch {
	case len(docs) == 0 && d.Diags.Errors() == 0:
		report := d.Foreignf(nil, "empty-mock", "the mock response file is empty")
		report.Pos = diag.Pos{File: file, Line: 1, Col: 1}
		return &mockNames{file: &MockFile{File: file}}
	case len(docs) == 0:
		return nil
	case len(docs) > 1:
		d.Errorf(nil, "second-document", "a mock response file holds one document").Pos = d.Pos(docs[1])
	}
	root := docs[0]
	if spec := node.Get(root, "spec"); spec != nil && node.Get(root, "scenarios") == nil {
		root = spec
	}
	return d.mockFile(root)
}

// mockNames reports names in a mock file that do not exist in the projects: their replies can never be used.
func (l *loader) mockNames(m *mockNames, builds ...*build) {
	var scenarios, personas, judges, steps []string
	var silent []*composition.Step // steps without a model
	for _, b := range builds {
		for _, s := range b.p.Scenarios {
			scenarios = append(scenarios, metaNames(&s.Meta)...)
		}
		for _, e := range b.p.Evals {
			scenarios = append(scenarios, metaNames(&e.Meta)...)
		}
		for _, q := range b.p.Personas {
			personas = append(personas, metaNames(&q.Meta)...)
		}
		for _, c := range b.p.Compositions {
			for s := range c.All() {
				if s.Kind == composition.Prompt || s.Kind == composition.Agent {
					steps = append(steps, s.ID)
				} else {
					silent = append(silent, s)
				}
			}
		}
		for _, j := range b.p.Judges {
			judges = append(judges, j.Name)
		}
		for _, q := range b.p.Providers { // a judge without a name goes by the id of its provider
			judges = append(judges, q.ID)
		}
	}
	if l.unknownMocks(nil, m.scenarios, scenarios) > 0 {
		for _, b := range builds {
			scenarios = append(scenarios, b.unloaded()...)
		}
	}
	broken := func(k kind) bool { return slices.ContainsFunc(builds, func(b *build) bool { return b.broken[k] }) }
	if !broken(kindScenario) && !broken(kindEval) {
		l.unknownMocks(l.diags, m.scenarios, scenarios, "scenario")
	}
	if !broken(kindPersona) {
		l.unknownMocks(l.diags, m.personas, personas, "persona")
	}
	l.unknownMocks(l.diags, m.judges, judges, "judge")
	l.unknownMocks(l.diags, l.silentSteps(m.steps, steps, silent), steps, "step")
	places := make(map[string]int, len(m.scenarios))
	for i, n := range slices.Backward(m.scenarios) { // of a repeated name the first
		places[n.name] = i
	}
	for _, b := range builds {
		for _, s := range b.p.Scenarios {
			l.unusedReplies(m, places, b.p, s)
		}
	}
}

// silentSteps warns of replies for steps that call no model, and returns the other names.
func (l *loader) silentSteps(names []mockName, asking []string, silent []*composition.Step) (others []mockName) {
	for _, n := range names {
		i := slices.IndexFunc(silent, func(s *composition.Step) bool { return s.ID == n.name })
		if i < 0 || slices.Contains(asking, n.name) {
			others = append(others, n)
			continue
		}
		l.diags.Warnf(n.pos, utf8.RuneCountInString(n.name), "unused-reply",
			"the %s step %q asks no model: these replies are never used", silent[i].Kind, n.name)
	}
	return others
}

func metaNames(m *Meta) []string {
	if m.Alias == "" {
		return []string{m.ID}
	}
	return []string{m.ID, m.Alias}
}

// unknownMocks counts the unknown names, and reports them to d unless it is nil.
func (l *loader) unknownMocks(d *diag.List, names []mockName, known []string, what ...string) (unknown int) {
	is := set(known)
	for _, n := range names {
		if is[n.name] {
			continue
		}
		unknown++
		if d == nil {
			continue
		}
		severity := diag.Error
		if l.opts.Lenient {
			severity = diag.Warning
		}
		d.Add(diag.Diagnostic{
			Severity: severity, Pos: n.pos, Width: len([]rune(n.name)), Code: "unknown-name",
			Msg:  fmt.Sprintf("there is no %s %q for these replies", what[0], n.name),
			Hint: hintNames(n.name, known),
		})
	}
	return unknown
}

// unloaded returns the ids of the config's scenarios and evals that were not loaded, because only some files are run.
func (b *build) unloaded() []string {
	if b.in.only == nil {
		return nil
	}
	var ids []string
	for file := range b.l.listed(b.in.config) {
		if b.in.only[file] {
			continue
		}
		data, problem := b.l.fs.read(file)
		if problem != nil {
			continue
		}
		b.l.fs.count.Add(-1)
		d := b.l.decoder(file, b.places, b.getenv)
		for _, doc := range d.documents(data, kindScenario) {
			ids = append(ids, metaNames(&doc.meta)...)
		}
	}
	for _, doc := range b.arena.inline {
		ids = append(ids, doc.meta.ID)
	}
	return ids
}
