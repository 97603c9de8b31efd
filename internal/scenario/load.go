package scenario

import (
	"bytes"
	"cmp"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Load reads what the options name. The suite holds everything that could be read; problems are in the list. A suite
// with errors must not run.
func Load(opts Options) (*Suite, *diag.List) {
	fs := &files{dir: opts.Dir, memory: newMemoryFiles(opts.Memory), sent: opts.Sent}
	l := &loader{opts: opts, fs: fs, diags: &diag.List{}, getenv: opts.Getenv}
	if l.getenv == nil {
		l.getenv = func(string) (string, bool) { return "", false }
	}
	suite := &Suite{}
	l.shared = l.readShared()
	var builds []*build
	for _, in := range l.inputs() {
		if b := l.project(in); b != nil {
			builds = append(builds, b)
			suite.Projects = append(suite.Projects, b.p)
		}
	}
	l.sharedMock(l.shared, builds)
	l.noteRecordings(suite, builds)
	l.noteConfigs(suite)
	l.diags.Once(NoEffect)
	suite.Files, suite.Read = int(l.fs.count.Load()), l.fs.taken
	return suite, l.diags
}

// loader is one call of Load.
type loader struct {
	opts       Options
	fs         *files
	diags      *diag.List
	getenv     func(string) (string, bool)
	shared     *mockNames // of --mock-config
	recordings []string   // found in folders
	besides    []string   // configs beside the config.arena.yaml of a folder
}

// decoder starts the reading of one file of a project.
func (l *loader) decoder(file string, places *pathBases, getenv func(string) (string, bool)) *decoder {
	return &decoder{
		Reader:  node.Reader{File: file, Diags: &diag.List{}, Lenient: l.opts.Lenient},
		compile: l.opts.Compile, places: places, getenv: getenv, recorded: l.opts.Recorded,
		skipEvals: l.opts.SkipEvals, uncertain: l.opts.AllowUncertain, keepWritten: l.opts.KeepWritten,
	}
}

// report adds what a decoder found to the whole.
func (l *loader) report(d *decoder) {
	for _, found := range d.Diags.Sorted() {
		l.diags.Add(found)
	}
}

// namedAt is the position at which a file is named; the zero value is the command line.
type namedAt struct {
	pos   diag.Pos
	width int
}

func (l *loader) fail(at namedAt, p *problem) {
	d := l.diags.Errorf(at.pos, at.width, p.code, "%s", p.msg)
	if d.Hint = p.hint; p.hint == "" && p.code == MissingFile && at.pos.File != "" {
		d.Hint = "write the file, or its path from the folder of this one"
	}
}

// empty reports a file without a document: one of another format may hold something, behind signs of comments.
func (l *loader) empty(j *fileJob, data []byte) {
	if ends := filepath.Ext(j.path); len(bytes.TrimSpace(data)) > 0 && !slices.Contains(documentEnds, ends) {
		l.diags.Errorf(j.at.pos, j.at.width, "empty-file", "%q holds nothing that arena reads", j.path).
			Hint = "scenarios are files " + strings.Join(documentEnds, ", ") + ": name one of them, or its folder"
		return
	}
	l.diags.Errorf(j.at.pos, j.at.width, "empty-file", "%q is empty", j.path).Hint =
		"write its contents, or remove the file"
}

// documentEnds are how the names of files end in which scenarios and what they need are written.
var documentEnds = []string{".yaml", ".yml", ".json"}

// sequentialFiles is the number of files up to which they are read sequentially, which is faster.
const sequentialFiles = 4

// parallel calls f for 0 to n-1, with as many goroutines as processors. Few calls are sequential.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i)
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+sequentialFiles-1)/sequentialFiles) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}

// fileJob is one file of a project to read.
type fileJob struct {
	want    kind // what the place that names it asks for; "": anything
	path    string
	at      namedAt
	globbed bool // found by a pattern, not named
	asked   bool // a pack that the command line asks for by name
	group   string
	groupAt diag.Pos
	id      string            // of a prompt_configs entry
	idPos   diag.Pos          // the same
	vars    map[string]string // the same
	given   []givenVariable   // the same
	empty   bool              // nothing could be read
}

// content is the resources of one file.
type content struct {
	scenarios  []*Scenario
	prompts    []*Prompt
	providers  []*Provider
	tools      []*Tool
	personas   []*Persona
	evals      []*RecordingEval
	packs      []*packFile
	mocks      []string   // files of mock replies
	recordings []diag.Pos // where one stands
	handlers   []*Handler
	servers    []*Server
	refs       []reference
	later      []Feature
	late       []lateCheck
	opens      []*OpenCheck
	given      []givenVariable
	named      []string // variables in names and paths of files
	tags       []selectable
}

// merge takes over what a file with scenarios holds, and no other could hold.
func (c *content) merge(d *content) {
	c.scenarios = append(c.scenarios, d.scenarios...)
	c.refs, c.later = append(c.refs, d.refs...), append(c.later, d.later...)
	c.late, c.opens = append(c.late, d.late...), append(c.opens, d.opens...)
	c.given, c.named = append(c.given, d.given...), append(c.named, d.named...)
	c.tags = append(c.tags, d.tags...)
}

// size is the number of resources.
func (c *content) size() int {
	return len(c.scenarios) + len(c.prompts) + len(c.providers) + len(c.tools) + len(c.personas) + len(c.evals) +
		len(c.packs)
}

// read reads all documents of one file. It reports a file without anything that was wanted.
func (l *loader) read(b *build, j *fileJob) *content {
	data, problem := l.fs.take(j.path)
	if problem != nil {
		l.fail(j.at, problem)
		return &content{}
	}
	d := l.decoder(j.path, b.places, b.getenv)
	d.vars, d.packFragments = j.vars, b.fragments
	docs := d.documents(data, j.want)
	if len(docs) == 0 && d.Diags.Errors() == 0 {
		l.empty(j, data)
	}
	c := &content{}
	for _, doc := range docs {
		if j.want != "" && doc.kind != j.want && (j.want != kindScenario || doc.kind != kindProgram) {
			l.mismatch(j, doc)
			continue
		}
		d.addDocument(c, doc)
		if d.split > 1 {
			d.Diags.Explain(d.Pos(doc.root), "missing-field", d.splitHint())
		}
	}
	d.notes(c)
	l.report(d)
	for _, p := range c.packs {
		p.asked = j.asked
	}
	for _, p := range c.personas {
		p.Loose = p.Loose && j.want == ""
	}
	for _, p := range c.providers {
		p.Group, p.Grouped, p.GroupPos = cmp.Or(j.group, p.Group), j.group != "", j.groupAt
	}
	for _, p := range c.prompts {
		for _, g := range j.given {
			g.prompt = p
			p.Shapes = g.noteShape(p.Shapes)
			c.given = append(c.given, g)
		}
		p.ListedPos = j.idPos
		if j.id != "" && j.id != p.ID {
			p.Alias, p.ID = p.ID, j.id
		}
	}
	return c
}

// notes hands on what was noted on the way, for when the whole project is known.
func (d *decoder) notes(c *content) {
	c.refs, c.later, c.late, c.opens, c.given, c.named = d.refs, d.later, d.late, d.opens, d.given, d.named
	c.tags = d.tags
}

// listedUnder are the keys of a config below which files of a kind are named.
var listedUnder = map[kind]string{
	kindScenario: "scenarios", kindPrompt: "prompt_configs", kindProvider: "providers", kindTool: "tools",
	kindPersona: "self_play.personas", kindEval: "evals", kindPack: "pack_file", kindMock: "mock_config of a provider",
}

func (l *loader) mismatch(j *fileJob, doc document) {
	d := l.diags.Errorf(j.at.pos, j.at.width, "wrong-kind", "%q is of kind %s, not %s", j.path, doc.kind, j.want)
	d.Hint = otherWay(doc.kind, j.path)
}

// addDocument adds a document to the content of the file.
func (d *decoder) addDocument(c *content, doc document) {
	switch doc.kind {
	case kindScenario:
		c.scenarios = add(c.scenarios, d.scenario(doc))
	case kindPrompt:
		c.prompts = add(c.prompts, d.prompt(doc))
	case kindProvider:
		c.providers = add(c.providers, d.provider(doc))
	case kindTool:
		c.tools = add(c.tools, d.tool(doc))
	case kindPersona:
		c.personas = add(c.personas, d.persona(doc))
	case kindEval:
		c.evals = add(c.evals, d.recordingEval(doc))
	case kindPack:
		c.packs = add(c.packs, d.pack(doc))
	case kindRuntime:
		if r := d.runtime(doc.spec); r != nil {
			for _, inner := range append(r.providers, r.tools...) {
				d.addDocument(c, inner)
			}
			c.handlers, c.servers = append(c.handlers, r.handlers...), append(c.servers, r.servers...)
		}
	case kindLogging:
		before := d.Diags.Errors()
		if loggingFields.Check(d, doc.spec, "logging"); d.Diags.Errors() > before {
			return
		}
		d.Warnf(doc.root, NoEffect, "a file of kind Logging has no effect: %s", ownLogging)
	case kindMock:
		c.mocks = append(c.mocks, d.File)
	case kindProgram:
		c.scenarios = add(c.scenarios, d.programScenario(doc))
	case kindArena:
		d.Errorf(doc.root, "second-config", "an arena config cannot be listed here").
			Hint = "run it by itself: arena run -c " + d.File
	case kindRecording:
		c.recordings = append(c.recordings, d.Pos(doc.root))
	case kindFragment, kindCriteria: // they are read by those who name them
	case kindUnknown, kindForeign, kindPromptfoo: // told already
	}
}

// add appends what could be read.
func add[T any](list []*T, v *T) []*T {
	if v == nil {
		return list
	}
	return append(list, v)
}
