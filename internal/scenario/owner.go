package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plural"
)

// configLevels is how many folders above a file outside the working directory are searched for its config.
const configLevels = 5

// adopt makes projects of loose files. Scenarios and evals, and files beside them, run in the project of the config
// that lists them. The others are a project together.
func (l *loader) adopt(loose []inputFile, configs []*input) []*input {
	if len(loose) == 0 {
		return nil
	}
	var list []*input
	loose = l.withoutListed(loose, configs)
	rest := loose
	if !slices.ContainsFunc(loose, func(f inputFile) bool { return !isOwned(f) }) {
		rest = nil
		projects := map[string]*input{}
		for _, in := range configs {
			projects[in.config] = in // loaded completely anyway
		}
		o := configOwners{
			l: l, configs: map[string][]string{}, lists: map[string]*linkedNames{}, strays: map[string][]string{},
			dirs: map[string]string{},
		}
		for _, f := range loose {
			var config string
			var lists bool
			config, f.path, lists = o.of(f.path)
			if config == "" {
				rest = append(rest, f)
				o.addStray(f)
				continue
			}
			in := projects[config]
			if in == nil {
				in = &input{config: config, only: map[string]bool{}}
				projects[config] = in
				list = append(list, in)
			}
			switch {
			case !lists:
				in.extra = append(in.extra, f)
			case in.only != nil:
				in.only[f.path] = true
			}
		}
		o.noteStrays()
	}
	return l.assignProjects(rest, configs, list)
}

// withoutListed leaves out scenarios and evals that a completely loaded config lists. If no others are left, their
// companion files are left out too: a shell's pattern may name all files of a project.
func (l *loader) withoutListed(loose []inputFile, configs []*input) []inputFile {
	listed := map[string]bool{}
	for _, in := range configs {
		maps.Copy(listed, l.listed(in.config))
	}
	names := linkedNames{fs: l.fs, names: listed}
	named := func(f inputFile) bool { return isOwned(f) && listed[names.of(f.path)] }
	rest := slices.DeleteFunc(slices.Clone(loose), named)
	if len(rest) == len(loose) || slices.ContainsFunc(rest, isOwned) {
		return rest
	}
	return slices.DeleteFunc(rest, func(f inputFile) bool {
		around := func(in *input) bool { return l.fs.below(filepath.Dir(in.config), f.path) }
		return !f.pack && slices.ContainsFunc(configs, around)
	})
}

// assignProjects assigns files that no config lists to the projects in list, which may grow. Files without one are a
// project together.
func (l *loader) assignProjects(rest []inputFile, configs, list []*input) []*input {
	for i, config := range l.homeConfigs(rest) {
		same := func(in *input) bool { return in.config == config }
		all := slices.Concat(configs, list)
		at := slices.IndexFunc(all, same)
		if at < 0 {
			in := &input{config: config}
			if config != "" {
				in.only = map[string]bool{} // none of its own scenarios is run
			}
			at, all, list = len(all), append(all, in), append(list, in)
		}
		all[at].extra = append(all[at].extra, rest[i])
	}
	return list
}

// homeConfigs returns the config of each loose file with assertions over recordings: that of the working directory, or
// the nearest around the file. Other files get that of the first. All are "" if no recordings are judged.
func (l *loader) homeConfigs(rest []inputFile) []string {
	homes := make([]string, len(rest))
	if !l.opts.Recorded || !slices.ContainsFunc(rest, isOwned) {
		return homes
	}
	here, first := l.configIn("."), ""
	for i, f := range rest {
		if !isOwned(f) {
			continue
		}
		dir := l.nearest(f.path)
		switch {
		case here != "":
			homes[i] = here
			if dir != "" && dir != "." {
				l.warnOtherProject(f.path, l.configsIn(dir)[0], here)
			}
		case dir != "" && dir != ".": // other cases were reported
			homes[i] = l.configIn(dir)
		}
		first = cmp.Or(first, homes[i])
	}
	for i, f := range rest {
		if !isOwned(f) {
			homes[i] = first
		}
	}
	return homes
}

// warnOtherProject warns that a file of one project is judged by another.
func (l *loader) warnOtherProject(file, around, here string) {
	l.diags.Warnf(diag.Pos{File: file}, 0, "outside-project",
		"this file belongs to %s, but is checked as part of %s of the working directory", around, here).
		Hint = "choose the project with -c"
}

// nearest is the folder with a config around a file: its own, or one above it up to the root of the repository; "" is
// none.
func (l *loader) nearest(file string) string {
	inside := filepath.IsLocal(file)
	var all []string
	dir := filepath.Dir(file)
	for level := 0; level <= configLevels || inside; level++ {
		if all = append(all, dir); dir == "." {
			all = append(all, l.fs.above()...)
			break
		}
		if l.fs.exists(join(dir, ".git")) || dir == filepath.Dir(dir) {
			break
		}
		dir = parent(dir)
	}
	for _, dir := range all {
		if len(l.configsIn(dir)) > 0 {
			return dir
		}
	}
	return ""
}

// isOwned reports whether configs list files of this kind.
func isOwned(f inputFile) bool {
	return f.kind == kindScenario || f.kind == kindProgram || f.kind == kindEval
}

// configOwners finds the configs of loose files. It reads each folder and each config once.
type configOwners struct {
	l       *loader
	configs map[string][]string     // folder → those in it
	lists   map[string]*linkedNames // config → the files that it lists
	strays  map[string][]string     // config → files below its folder that it does not list
	dirs    map[string]string       // resolved names of folders
}

// of is the config that lists a file, in its folder or above, and the file's name there. If none does, it is the only
// one that lists a file beside it. It does not depend on arena's working directory, nor on the spelling of the file.
func (o *configOwners) of(file string) (config, name string, lists bool) {
	config, name, lists = o.around(file)
	if config != "" {
		return config, name, lists
	}
	if real := o.l.fs.show(o.l.fs.real(file, o.dirs)); real != file { // a link may lead into a project
		if config, name, lists = o.around(real); lists {
			return config, name, true
		}
	}
	return "", file, false
}

// around is of for one name of the file.
func (o *configOwners) around(file string) (config, name string, lists bool) {
	var near []string
	for _, dir := range o.l.around(file) {
		for _, config := range o.in(dir) {
			listed := o.listed(config)
			if name := listed.of(file); listed.names[name] {
				return config, name, true
			}
			if filepath.Dir(file) != dir && o.beside(listed.names, file) { // a folder for scenarios only
				near = append(near, config)
			}
		}
	}
	if len(near) != 1 {
		return "", file, false
	}
	return near[0], file, false
}

// around are the folders that may have the config of a file: its own and those above. For a file below the working
// directory they go up to the root of its repository.
func (l *loader) around(file string) []string {
	dir := filepath.Dir(file)
	all := []string{dir}
	if filepath.IsLocal(file) {
		for dir != "." {
			dir = parent(dir)
			all = append(all, dir)
		}
		return append(all, l.fs.above()...)
	}
	for len(all) <= configLevels && dir != filepath.Dir(dir) {
		dir = l.fs.show(parent(dir))
		all = append(all, dir)
	}
	return all
}

// addStray notes a file that runs without the project whose folder contains it.
func (o *configOwners) addStray(f inputFile) {
	if o.l.opts.Recorded || o.l.opts.Bare {
		return
	}
	for _, dir := range o.l.around(f.path) {
		if configs := o.in(dir); len(configs) > 0 {
			o.strays[configs[0]] = append(o.strays[configs[0]], f.path)
			return
		}
		if !filepath.IsLocal(f.path) && o.l.fs.exists(join(dir, ".git")) {
			return
		}
	}
}

// noteStrays warns of files that run without the project around them.
func (o *configOwners) noteStrays() {
	for _, config := range slices.Sorted(maps.Keys(o.strays)) {
		files := o.strays[config]
		which := "this file, so it runs"
		if len(files) > 1 {
			which = fmt.Sprintf("this file and %s of this run, so they run", plural.Count(len(files)-1, "other"))
		}
		o.l.diags.Warnf(diag.Pos{File: files[0]}, 0, "outside-project",
			"%s does not list %s without the prompts, providers and checks of that project", config, which).
			Hint = "list them there below scenarios:, or run that project together with them: -c " + config
	}
}

// beside reports whether one of the files lies in the folder of another one.
func (o *configOwners) beside(files map[string]bool, file string) bool {
	for other := range files {
		if filepath.Dir(other) == filepath.Dir(file) {
			return true
		}
	}
	return false
}

func (o *configOwners) in(dir string) []string {
	configs, known := o.configs[dir]
	if !known {
		configs = o.l.configsIn(dir)
		o.configs[dir] = configs
	}
	return configs
}

func (o *configOwners) listed(config string) *linkedNames {
	files, known := o.lists[config]
	if !known {
		files = &linkedNames{fs: o.l.fs, names: o.l.listed(config)}
		o.lists[config] = files
	}
	return files
}

// parent is the parent folder, also of a relative path such as "..".
func parent(dir string) string {
	if filepath.Base(dir) == ".." {
		return filepath.Join(dir, "..")
	}
	return filepath.Dir(dir)
}

// listed returns the scenario and eval files that a config names. Its problems are reported when it is loaded.
func (l *loader) listed(config string) map[string]bool {
	files := map[string]bool{}
	data, problem := l.fs.read(config)
	if problem != nil {
		return files
	}
	l.fs.count.Add(-1)
	quiet := &node.Reader{File: config, Diags: &diag.List{}}
	for _, root := range node.Parse(quiet, data) {
		spec := root
		if s := node.Get(root, "spec"); s != nil {
			spec = s
		}
		for _, key := range []string{"scenarios", "evals"} {
			list := node.Get(spec, key)
			if list == nil {
				continue
			}
			for _, item := range list.Content {
				if file := node.Get(item, "file"); file != nil {
					item = file
				}
				l.expandInto(files, l.fs.show(join(filepath.Dir(config), item.Value)))
			}
		}
	}
	return files
}

func (l *loader) expandInto(files map[string]bool, path string) {
	if !l.fs.isGlob(path) {
		files[path] = true
		return
	}
	matches, err := l.fs.glob(path)
	if err != nil {
		return // reported when the config is loaded
	}
	for _, m := range matches {
		files[m] = true
	}
}
