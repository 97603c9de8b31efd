package scenario

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

const (
	defaultConfig = "config.arena.yaml"
	defaultFolder = "scenarios" // run where there is no config
	// programFolder is where another tool keeps scenarios that name their program; run where there is no config either.
	programFolder = ".kensa/scenarios"
)

// input is one project to load: a config, or loose files.
type input struct {
	config string          // "" for loose files
	only   map[string]bool // of the config's scenarios and evals, these; nil: all
	extra  []inputFile     // files named beside the config, or the loose ones
}

// inputFile is a file named on the command line, or found in a folder named there.
type inputFile struct {
	path   string
	walked bool
	pack   bool // it is named as a pack
	kind   kind // empty when it was hard to tell
}

// inputs makes projects of the command line, configs first, each once.
func (l *loader) inputs() []*input {
	if l.opts.Config != "" {
		return l.configured()
	}
	paths := l.opts.Paths
	if len(paths) == 0 && !slices.ContainsFunc(l.configsIn("."), l.fs.inMemory) {
		paths = l.fs.memory.paths()
	}
	if len(paths) == 0 {
		if config := l.configIn("."); config != "" {
			return []*input{{config: config}}
		}
		if l.diags.Errors() > 0 {
			return nil
		}
		if l.opts.Bare {
			return []*input{{}}
		}
		for _, dir := range []string{defaultFolder, programFolder} {
			if l.fs.isDir(dir) {
				paths = append(paths, dir)
			}
		}
		if len(paths) == 0 {
			l.diags.Errorf(diag.Pos{}, 0, "no-config", "there is no %s here", defaultConfig).
				Hint = l.configAbove()
			return nil
		}
	}
	var configs []string
	var loose []inputFile
	for _, path := range paths {
		c, files := l.argument(path)
		configs, loose = append(configs, c...), append(loose, files...)
	}
	var list []*input
	slices.Sort(configs)
	for _, c := range slices.Compact(configs) {
		list = append(list, &input{config: c})
	}
	return l.unlinked(append(list, l.adopt(l.distinct(loose), list)...))
}

// configured is the project that -c names. Other files restrict it to themselves, or are added to it.
func (l *loader) configured() []*input {
	in := &input{config: l.fs.show(l.opts.Config)}
	if l.fs.isDir(in.config) {
		dir := in.config
		if in.config = l.configIn(dir); in.config == "" {
			if l.diags.Errors() == 0 {
				l.diags.Errorf(diag.Pos{}, 0, "no-config", "there is no %s in %q", defaultConfig, dir)
			}
			return nil
		}
	}
	listed := l.listed(in.config)
	names := linkedNames{fs: l.fs, names: listed}
	for _, path := range l.opts.Paths {
		if l.holdsConfig(path, in.config) {
			continue // the folder of the project: all that the config lists
		}
		configs, files := l.argument(path)
		l.otherProjects(path, configs, in.config)
		for _, f := range files {
			f.path = names.of(f.path)
			if !listed[f.path] {
				in.extra = append(in.extra, f)
				continue
			}
			if in.only == nil {
				in.only = map[string]bool{}
			}
			in.only[f.path] = true
		}
	}
	in.extra = l.distinct(in.extra)
	return []*input{in}
}

// distinct leaves out files that are named again, by whatever link.
func (l *loader) distinct(list []inputFile) []inputFile {
	if len(list) < 2 {
		return list
	}
	seen, dirs := map[string]bool{}, map[string]string{}
	return slices.DeleteFunc(list, func(f inputFile) bool {
		real := l.fs.real(f.path, dirs)
		again := seen[real]
		seen[real] = true
		return again
	})
}

// argument resolves one path of the command line to configs and other files.
func (l *loader) argument(arg string) (configs []string, files []inputFile) {
	path := l.fs.show(arg)
	switch {
	case l.fs.isGlob(path):
		matches, err := l.fs.glob(path)
		if err != nil || len(matches) == 0 {
			l.fail(namedAt{}, l.ofCommandLine(l.fs.noMatch(arg), arg))
			return nil, nil
		}
		for _, m := range matches {
			c, f := l.argument(m)
			configs, files = append(configs, c...), append(files, f...)
		}
		return configs, files
	case l.fs.isDir(path) && slices.Contains(l.opts.Packs, arg):
		l.diags.Errorf(diag.Pos{}, 0, "wrong-kind", "%q is no pack: it is a folder", path)
		return nil, nil
	case l.fs.isDir(path):
		return l.folder(path)
	}
	data, problem := l.fs.read(path)
	if problem != nil {
		l.fail(namedAt{}, l.ofCommandLine(problem, arg))
		return nil, nil
	}
	l.fs.count.Add(-1) // it is read again, and counted, with its project
	k, pack := l.detectKind(path, data), slices.Contains(l.opts.Packs, arg)
	switch {
	case pack && k != "" && k != kindPack:
		l.diags.Errorf(diag.Pos{}, 0, "wrong-kind", "%q is no pack: it is of kind %s", path, k).Hint =
			"a pack has prompts, with their evals, or evals of its own"
		return nil, nil
	case k == kindArena:
		return []string{path}, nil
	}
	return nil, []inputFile{{path: path, kind: k, pack: pack}}
}

// ofCommandLine adds to a problem without a hint which paths a command line takes, and what there is to run here.
func (l *loader) ofCommandLine(p *problem, name string) *problem {
	if p.code != MissingFile && p.code != "no-match" || strings.Contains(p.hint, "did you mean") {
		return p
	}
	switch beside := filepath.ToSlash(filepath.Join(defaultFolder, name+".yaml")); {
	case p.code != MissingFile || name == "" || filepath.Ext(name) != "":
	case l.fs.exists(beside):
		p.hint = "did you mean " + beside + "? A scenario is named by its id with --scenario " + name
		return p
	case slices.Contains(providerTypeWords(), strings.Split(name, "/")[0]):
		p.hint = "a model is named with --provider " + name
		return p
	}
	var here []string
	if config := l.configsIn("."); len(config) > 0 {
		here = append(here, config[0])
	}
	if l.fs.isDir(defaultFolder) {
		here = append(here, defaultFolder+"/")
	}
	text := "paths are scenario files, folders, patterns or configs, from the working directory"
	if p.code == MissingFile {
		text += "; --scenario takes the ids of scenarios"
	}
	if len(here) > 0 {
		text += "; here are " + strings.Join(here, " and ")
	}
	p.hint = strings.TrimPrefix(p.hint+"; "+text, "; ")
	return p
}

// folder resolves a folder: its config, or everything below it. Subfolders with a config are projects of their own.
func (l *loader) folder(dir string) (configs []string, files []inputFile) {
	errs := l.diags.Errors()
	if config := l.configIn(dir); config != "" || l.diags.Errors() > errs {
		l.leaveConfigs(dir, config)
		return compact(config), nil
	}
	err := l.fs.walk(dir, func(path string, isDir bool) error {
		if isDir {
			return l.subfolder(path, &configs)
		}
		switch ext := strings.ToLower(filepath.Ext(path)); {
		case filepath.Base(path) == ".arena.yaml": // settings of the command line
		case slices.Contains([]string{".yaml", ".yml", ".json"}, ext):
			files = append(files, inputFile{path: l.fs.show(path), walked: true})
		}
		return nil
	})
	if err != nil {
		l.diags.Errorf(diag.Pos{}, 0, "unreadable-file", "%q cannot be read: %v", dir, err)
	}
	all := len(files)
	files = l.sortFolder(files, &configs)
	// A config under another name owns the files beside and below it.
	files = slices.DeleteFunc(files, func(f inputFile) bool {
		return slices.ContainsFunc(configs, func(c string) bool { return l.fs.below(filepath.Dir(c), f.path) })
	})
	switch {
	case len(configs)+len(files) > 0 || l.diags.Errors() > errs:
	case all == 0:
		l.diags.Errorf(diag.Pos{}, 0, "no-match", "the folder %q holds no YAML or JSON file", dir)
	default:
		l.diags.Errorf(diag.Pos{}, 0, "no-match", "the folder %q holds no file to run", dir).
			Hint = "a scenario has turns: `arena docs scenario` shows one"
	}
	return configs, files
}

func (l *loader) subfolder(path string, configs *[]string) error {
	if isOutputFolder(path) {
		l.warnOfScenariosIn(path)
		return fs.SkipDir
	}
	if config := l.configIn(path); config != "" {
		l.leaveConfigs(path, config)
		*configs = append(*configs, config)
		return fs.SkipDir
	}
	return nil
}

const (
	outputFolder  = "out" // where arena writes results, and other programs what they make
	packageFolder = "node_modules"
)

// isOutputFolder reports whether a folder holds the output of programs.
func isOutputFolder(path string) bool {
	base := filepath.Base(path)
	return base == outputFolder || base == packageFolder
}

// warnOfScenariosIn warns of scenarios in results folders, which are not run.
func (l *loader) warnOfScenariosIn(dir string) {
	if filepath.Base(dir) != outputFolder {
		return
	}
	_ = l.fs.walk(dir, func(path string, isDir bool) error { // a folder that cannot be read holds none
		ext := strings.ToLower(filepath.Ext(path))
		if !isDir && (ext == ".yaml" || ext == ".yml") && l.kindOf(path) == kindScenario {
			l.diags.Warnf(diag.Pos{File: l.fs.show(path), Line: 1, Col: 1}, 1, "file-not-used",
				"the scenario is not run: the folder %q is for results", outputFolder).Hint = "move it, or name the file"
		}
		return nil
	})
}

// sortFolder sorts the files of a folder: configs are moved to configs, files that are not for arena are dropped, and
// the rest is returned.
func (l *loader) sortFolder(files []inputFile, configs *[]string) []inputFile {
	var rest []inputFile
	datasets := sync.OnceValue(func() map[string]bool { return l.datasetsOf(files) })
	for _, f := range files {
		f.kind = l.kindOf(f.path)
		if f.kind == "" && datasets()[filepath.Clean(f.path)] {
			continue
		}
		foreignJSON := f.kind == "" && isJSONFile(f.path)
		switch {
		case foreignJSON && !isOfOthers(f.path) && l.unreadable(f.path):
		case f.kind == kindArena:
			*configs = append(*configs, f.path)
		case f.kind == kindRecording:
			l.recordings = append(l.recordings, f.path)
		case f.kind == kindFragment || f.kind == kindCriteria || f.kind == kindForeign || foreignJSON:
		default:
			rest = append(rest, f)
		}
	}
	return rest
}

var datasetKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^|[{,])[ \t]*["']?dataset["']?[ \t]*:[ \t]*["']?([^"',{}#\r\n]+)`)
})

// datasetsOf are the files that files of a folder name as their dataset, by their text: rows lie beside the scenarios
// that read them, and are no files to run.
func (l *loader) datasetsOf(files []inputFile) map[string]bool {
	named := map[string]bool{}
	for _, f := range files {
		data, problem := l.fs.read(f.path)
		if problem != nil {
			continue // reported when the project is read
		}
		l.fs.count.Add(-1)
		for _, m := range datasetKey().FindAllSubmatch(data, -1) {
			named[filepath.Join(filepath.Dir(f.path), strings.TrimSpace(string(m[1])))] = true
		}
	}
	return named
}

func isJSONFile(path string) bool { return strings.EqualFold(filepath.Ext(path), ".json") }

// isOfOthers reports whether a file belongs to a program that reads its own kind of JSON.
func isOfOthers(path string) bool {
	base := strings.ToLower(filepath.Base(path))
	return strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig") ||
		slices.Contains([]string{"package.json", "composer.json", "devcontainer.json", "angular.json"}, base)
}

// unreadable warns of a JSON file in a folder that cannot be read: it may be one of another tool, or one for arena with
// a comma too many.
func (l *loader) unreadable(path string) bool {
	data, problem := l.fs.read(path)
	if problem != nil {
		return false
	}
	l.fs.count.Add(-1)
	d := l.decoder(path, nil, l.getenv)
	docs := node.Parse(&d.Reader, data)
	if len(docs) > 0 {
		return false
	}
	found := d.Diags.Sorted()
	if len(found) == 0 {
		l.diags.Warnf(diag.Pos{File: path, Line: 1, Col: 1}, 1, "file-not-used", "the file is empty, and so not used").
			Hint = "write its contents, or remove the file"
		return true
	}
	l.diags.Warnf(found[0].Pos, 1, "file-not-used", "the file cannot be read, and so is not used: %s", found[0].Msg).
		Hint = "mend it; a file of another tool belongs into another folder, or name the files to load"
	return true
}

// kindOf detects the kind of a file that will be loaded later; "" when that is not cheap.
func (l *loader) kindOf(path string) kind {
	data, problem := l.fs.read(path)
	if problem != nil {
		return "" // reported when the project is read
	}
	l.fs.count.Add(-1)
	return l.detectKind(path, data)
}

func compact(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

var kindLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^["']?kind["']?[ \t]*:[ \t]*["']?(\w+)`)
})

// detectKind detects the kind of a file without reporting problems: by a line kind:, else by its keys. A file with an
// arena config among its documents is a config.
func (l *loader) detectKind(path string, data []byte) kind {
	lines := kindLine().FindAllSubmatch(data, -1)
	for _, m := range lines {
		if string(m[1]) == string(kindArena) {
			return kindArena
		}
	}
	if len(lines) > 0 {
		return saidKind(string(lines[0][1]), data)
	}
	problems := &diag.List{}
	left := kind("")
	for _, root := range node.Parse(&node.Reader{File: path, Diags: problems}, data) {
		if k := node.Get(root, "kind"); k != nil {
			return saidKind(k.Value, data)
		}
		switch k := recognise(root); {
		case k == kindRecording || k == kindFragment || k == kindCriteria || k == kindForeign:
			left = k // another document may be one to run
		case k != "":
			return k
		case holdsWritten(root):
			return kindScenario
		}
	}
	if problems.Errors() > 0 {
		return guessKind(data)
	}
	return left
}

// saidKind is the kind that a document names. A kind without an envelope is described in words.
func saidKind(name string, data []byte) kind {
	if slices.Contains(envelopeKinds, name) {
		return kind(name)
	}
	return cmp.Or(guessKind(data), kindUnknown)
}
