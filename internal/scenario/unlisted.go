package scenario

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
)

// manyUnlisted is how many files a note names.
const manyUnlisted = 3

// listing is the place at which the config lists its first scenario.
func (b *build) listing() namedAt {
	if refs := b.arena.scenarios; len(refs) > 0 && refs[0].at != nil {
		at := refs[0].at
		pos := diag.Pos{File: b.in.config, Line: int32(at.Line), Col: int32(at.Column)}
		return namedAt{pos, max(utf8.RuneCountInString(at.Value), 1)}
	}
	return namedAt{diag.Pos{File: b.in.config}, 1}
}

// noteUnlisted warns of scenario files beside listed ones that the config does not list: their author may believe that
// they pass.
func (b *build) noteUnlisted(at namedAt) {
	if b.in.config == "" || b.in.only != nil || b.l.opts.Bare {
		return
	}
	found := b.unlisted()
	if len(found) == 0 {
		return
	}
	names, more := found, ""
	if len(found) > manyUnlisted {
		names, more = found[:manyUnlisted], fmt.Sprintf(" and %d more", len(found)-manyUnlisted)
	}
	what, are := "a scenario file is", "it is"
	if len(found) > 1 {
		what, are = fmt.Sprintf("%d scenario files are", len(found)), "they are"
	}
	b.l.diags.Warnf(at.pos, at.width, "unlisted-scenario", "%s not named by the config, so %s not run: %s%s", what, are,
		strings.Join(names, ", "), more).Hint = b.howToList(found)
}

// howToList says how files come into the config. Beside it lie files of other kinds, which a pattern would match as
// well.
func (b *build) howToList(found []string) string {
	if slices.ContainsFunc(found, b.isBeside) {
		return "add them below scenarios:, or move what is not to be run to another folder"
	}
	return "name all of them with a pattern: scenarios: [" + b.pattern(found) + "]"
}

// isBeside reports whether a file lies in the folder of the config.
func (b *build) isBeside(path string) bool { return filepath.Dir(path) == filepath.Dir(b.in.config) }

// pattern matches files of the same kind in their folder, or in and below the one that they share, as the config would
// name them.
func (b *build) pattern(files []string) string {
	file, dir := files[0], filepath.Dir(files[0])
	name := "*" + filepath.Ext(file)
	for _, other := range files {
		for filepath.Dir(other) != dir && !below(dir, other) {
			dir = filepath.Dir(dir)
		}
	}
	if slices.ContainsFunc(files, func(f string) bool { return filepath.Dir(f) != dir }) {
		name = filepath.Join("**", name)
	}
	rel, err := filepath.Rel(b.places.config, filepath.Join(dir, name))
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// unlisted are the scenario files in and below folders from which the config names some, and its folder scenarios, that
// neither it nor another config beside it names. Of its own folder that is only what lies there directly.
func (b *build) unlisted() (found []string) {
	listed, folders := map[string]bool{}, []string{join(b.places.config, defaultFolder)}
	for file := range b.mocks {
		listed[file] = true // it may be large
	}
	for _, j := range b.jobs {
		listed[j.path] = true
		if j.want == kindScenario {
			folders = append(folders, filepath.Dir(j.path))
		}
	}
	slices.Sort(folders)
	own := filepath.Dir(b.in.config)
	seen := map[string]bool{}
	for _, dir := range slices.Compact(folders) {
		// A folder that cannot be read is told when something in it is.
		_ = b.l.fs.walk(dir, func(path string, isDir bool) error {
			switch ext := filepath.Ext(path); {
			case isDir && (seen[path] || dir == own || len(b.l.configsIn(path)) > 0 || isOutputFolder(path)):
				return fs.SkipDir
			case isDir:
				seen[path] = true
			case !listed[path] && !seen[path] && isReadable(ext) && b.l.kindOf(path) == kindScenario:
				seen[path] = true
				found = append(found, path)
			}
			return nil
		})
	}
	if len(found) == 0 {
		return nil
	}
	for _, config := range b.otherConfigs() {
		others := b.l.listed(config)
		found = slices.DeleteFunc(found, func(path string) bool { return others[path] })
	}
	slices.Sort(found)
	return found
}

// isReadable reports whether files with an extension are read in folders.
func isReadable(ext string) bool { return ext == ".yaml" || ext == ".yml" || ext == ".json" }

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
