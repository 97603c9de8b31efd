package scenario

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// plainConfigs are the names, without extension, of configs that do not end in .arena.yaml.
var plainConfigs = []string{"arena", "config"}

// configIn returns the config of a folder: config.arena.yaml, or the only *.arena.yaml. Several are an error.
func (l *loader) configIn(dir string) string {
	all := l.configsIn(dir)
	switch {
	case len(all) == 0:
		return ""
	case filepath.Base(all[0]) == defaultConfig || len(all) == 1:
		return all[0]
	}
	l.diags.Errorf(diag.Pos{}, 0, "several-configs", "%q holds several configs: %s", dir, strings.Join(all, ", ")).
		Hint = "choose one with -c"
	return ""
}

// configsIn lists the configs of a folder by their names, config.arena.yaml first. Where none has the ending
// .arena.yaml, arena.yaml and config.yaml are looked into.
func (l *loader) configsIn(dir string) []string {
	var all, plain []string
	for _, name := range l.fs.names(dir) {
		switch base, ext := strings.ToLower(name), filepath.Ext(name); {
		case strings.HasPrefix(name, "."): // .arena.yaml holds settings of the command line
		case ext != ".yaml" && ext != ".yml":
		case strings.HasSuffix(strings.TrimSuffix(name, ext), ".arena"):
			all = append(all, join(dir, name))
		case slices.Contains(plainConfigs, strings.TrimSuffix(base, ext)):
			plain = append(plain, join(dir, name))
		}
	}
	if len(all) == 0 {
		all = slices.DeleteFunc(plain, func(path string) bool { return l.kindOf(path) != kindArena })
	}
	slices.SortStableFunc(all, func(a, b string) int {
		switch {
		case filepath.Base(a) == defaultConfig:
			return -1
		case filepath.Base(b) == defaultConfig:
			return 1
		}
		return strings.Compare(a, b)
	})
	return all
}

// configAbove is the hint if there is no config.
func (l *loader) configAbove() string {
	for _, dir := range l.fs.above() {
		if all := l.configsIn(dir); len(all) > 0 {
			return "there is one above: -c " + all[0]
		}
	}
	return "name files or folders to run, or a config with -c; `arena init` writes a project to begin with"
}

// holdsConfig reports whether a path is a folder with this config.
func (l *loader) holdsConfig(path, config string) bool {
	dir := l.fs.show(path)
	return !l.fs.isGlob(dir) && l.fs.isDir(dir) && slices.ContainsFunc(l.configsIn(dir), l.sameAs(config))
}

// otherProjects refuses configs on the command line besides the one of -c, which would not be run.
func (l *loader) otherProjects(path string, configs []string, config string) {
	for _, other := range slices.DeleteFunc(configs, l.sameAs(config)) {
		what := fmt.Sprintf("%q is a config", path)
		if l.fs.show(path) != other {
			what = fmt.Sprintf("%q is a project of its own, with %s", path, other)
		}
		l.diags.Errorf(diag.Pos{}, 0, "several-configs", "%s, and -c names %s", what, config).Hint =
			"run one of them, or both without -c (ARENA_CONFIG and config in .arena.yaml set it, too)"
	}
}

// leaveConfigs notes the other configs in a named folder, which are not run although the user means everything in it.
func (l *loader) leaveConfigs(dir, config string) {
	for _, other := range l.configsIn(dir) {
		if config != "" && other != config {
			l.besides = append(l.besides, other)
		}
	}
}

// sameAs compares a path with another after resolving links.
func (l *loader) sameAs(path string) func(string) bool {
	dirs := map[string]string{}
	real := l.fs.real(path, dirs)
	return func(other string) bool { return l.fs.real(other, dirs) == real }
}
