package scenario

import (
	"path/filepath"

	"github.com/arena-evals/arena/internal/diag"
)

// OutputDir is the results folder in the config of the options, or in that of the working directory; "": there is none,
// or the config is unreadable, which Load reports. No other file is read.
func OutputDir(opts Options) string {
	opts.Paths, opts.Bare = nil, true
	l := &loader{opts: opts, fs: &files{dir: opts.Dir}, diags: &diag.List{}, getenv: opts.Getenv}
	if l.getenv == nil {
		l.getenv = func(string) (string, bool) { return "", false }
	}
	for _, in := range l.inputs() {
		if in.config == "" {
			continue
		}
		dir := filepath.Dir(in.config)
		b := &build{
			l: l, in: in, p: &Project{File: in.config}, arena: &arenaFile{}, mocks: map[string]*mockNames{},
			broken: map[kind]bool{}, reported: map[diag.Pos]bool{},
		}
		b.places = &pathBases{fs: l.fs, config: dir, run: dir}
		b.getenv, _ = l.withDotenv(dir)
		if b.config() {
			return b.p.Defaults.Output.Dir
		}
	}
	return ""
}
