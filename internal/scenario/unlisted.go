package scenario

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// manyUnlisted is how many files a note names.
const manyUnlisted = 3

// unlistedKind is a kind of files that are run, and where the config lists them.
type unlistedKind struct {
	kind       kind
	one, many  string // "a scenario file", "scenario files"
	list, code string // the key of the config, and the code of the warning
	at         namedAt
}

// listings are the places at which the config lists what is run: the first entry of each kind, or else the config.
func (b *build) listings() []unlistedKind {
	return []unlistedKind{
		{kindScenario, "a scenario file", "scenario files", "scenarios", "unlisted-scenario", b.listing(b.arena.scenarios)},
		{kindEval, "an eval file", "eval files", "evals", "unlisted-eval", b.listing(b.arena.evals)},
	}
}

func (b *build) listing(refs []fileRef) namedAt {
	if len(refs) > 0 && refs[0].at != nil {
		at := refs[0].at
		pos := diag.Pos{File: b.in.config, Line: int32(at.Line), Col: int32(at.Column)}
		return namedAt{pos, max(utf8.RuneCountInString(at.Value), 1)}
	}
	return namedAt{diag.Pos{File: b.in.config}, 1}
}

// noteUnlisted warns of scenario and eval files beside listed ones that the config does not list: their author may
// believe that they pass.
func (b *build) noteUnlisted(listings []unlistedKind) {
	if b.in.config == "" || b.in.only != nil || b.l.opts.Bare {
		return
	}
	found := b.unlisted()
	for _, u := range listings {
		if files := found[u.kind]; len(files) > 0 {
			b.noteUnlistedOf(u, files, found)
		}
	}
}

func (b *build) noteUnlistedOf(u unlistedKind, files []string, found map[kind][]string) {
	names, more := files, ""
	if len(files) > manyUnlisted {
		names, more = files[:manyUnlisted], fmt.Sprintf(" and %d more", len(files)-manyUnlisted)
	}
	what, are := u.one+" is", "it is"
	if len(files) > 1 {
		what, are = fmt.Sprintf("%d %s are", len(files), u.many), "they are"
	}
	b.l.diags.Warnf(u.at.pos, u.at.width, u.code, "%s not named by the config, so %s not run: %s%s", what, are,
		strings.Join(names, ", "), more).Hint = b.howToList(u, files, found)
}

// howToList says how files come into the config: by a pattern, where that matches no file of another kind.
func (b *build) howToList(u unlistedKind, files []string, found map[kind][]string) string {
	dir, pattern := b.pattern(files)
	others := func(path string) bool { return b.l.fs.below(dir, path) }
	mixed := dir == b.places.config
	for other, paths := range found {
		mixed = mixed || other != u.kind && slices.ContainsFunc(paths, others)
	}
	other := func(path string) bool { return filepath.Ext(path) != filepath.Ext(files[0]) }
	mixed = mixed || slices.ContainsFunc(files, other) ||
		slices.ContainsFunc(b.jobs, func(j *fileJob) bool { return j.want != u.kind && others(j.path) })
	if mixed {
		return "add them below " + u.list + ":, or move what is not to be run to another folder"
	}
	return "name all of them with a pattern: " + u.list + ": [" + pattern + "]"
}

// pattern matches files of the same kind in their folder, or in and below the one that they share, as the config would
// name them. It is returned with that folder.
func (b *build) pattern(files []string) (dir, pattern string) {
	file, dir := files[0], filepath.Dir(files[0])
	name := "*" + filepath.Ext(file)
	for _, other := range files {
		for filepath.Dir(other) != dir && !b.l.fs.below(dir, other) {
			dir = filepath.Dir(dir)
		}
	}
	if slices.ContainsFunc(files, func(f string) bool { return filepath.Dir(f) != dir }) {
		name = filepath.Join("**", name)
	}
	rel, err := b.l.fs.rel(b.places.config, filepath.Join(dir, name))
	if err != nil {
		return dir, file
	}
	return dir, filepath.ToSlash(rel)
}

// unlisted are the scenario and eval files in and below folders from which the config names some, and its folders
// scenarios and evals, that neither it nor another config beside it names. Of its own folder that is only what lies
// there directly.
func (b *build) unlisted() map[kind][]string {
	listed := map[string]bool{}
	folders := []string{join(b.places.config, defaultFolder), join(b.places.config, "evals")}
	for file := range b.mocks {
		listed[file] = true // it may be large
	}
	for _, j := range b.jobs {
		listed[j.path] = true
		if j.want == kindScenario || j.want == kindEval {
			folders = append(folders, filepath.Dir(j.path))
		}
	}
	slices.Sort(folders)
	own, names := filepath.Dir(b.in.config), linkedNames{fs: b.l.fs, names: listed}
	found, seen := map[kind][]string{}, map[string]bool{}
	for _, dir := range slices.Compact(folders) {
		// A folder that cannot be read is told when something in it is.
		_ = b.l.fs.walk(dir, func(path string, isDir bool) error {
			path = b.l.fs.show(path)
			switch {
			case isDir && (seen[path] || dir == own || len(b.l.configsIn(path)) > 0 || isOutputFolder(path)):
				return fs.SkipDir
			case isDir:
				seen[path] = true
			case listed[names.of(path)] || seen[path]:
			default:
				seen[path] = true
				if k := b.l.runnable(path); k != "" {
					found[k] = append(found[k], path)
				}
			}
			return nil
		})
	}
	if len(found) == 0 {
		return nil
	}
	for _, config := range b.otherConfigs() {
		others := b.l.listed(config)
		for k, paths := range found {
			found[k] = slices.DeleteFunc(paths, func(path string) bool { return others[path] })
		}
	}
	for _, paths := range found {
		slices.Sort(paths)
	}
	return found
}

// largeJSON is the size in bytes from which a JSON file is data, and no scenario that somebody wrote.
const largeJSON = 4 << 20

// runnable is the kind of a file that can be run: a scenario, or an eval that names its recording. "" is anything else.
func (l *loader) runnable(path string) kind {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		if info, err := os.Stat(l.fs.access(path)); err != nil || info.Size() >= largeJSON {
			return ""
		}
	case ".yaml", ".yml":
	default:
		return ""
	}
	switch k := l.kindOf(path); {
	case k == kindScenario, k == kindProgram, k == kindEval && l.namesRecording(path):
		return k
	}
	return ""
}

// namesRecording reports whether an eval names what it judges: others are for arena eval --assert.
func (l *loader) namesRecording(path string) bool {
	data, problem := l.fs.read(path)
	if problem != nil {
		return false
	}
	l.fs.count.Add(-1)
	for _, root := range node.Parse(&node.Reader{File: path, Diags: &diag.List{}}, data) {
		if spec := node.Get(root, "spec"); spec != nil {
			root = spec
		}
		if node.Get(root, "recording") != nil {
			return true
		}
	}
	return false
}

// otherConfigs are those beside the config, whatever they are called.
func (b *build) otherConfigs() (others []string) {
	for _, name := range b.l.fs.names(b.places.config) {
		path, ext := join(b.places.config, name), filepath.Ext(name)
		if path != b.in.config && (ext == ".yaml" || ext == ".yml") && b.l.kindOf(path) == kindArena {
			others = append(others, path)
		}
	}
	return others
}
