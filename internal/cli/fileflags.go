package cli

import (
	"github.com/arena-evals/arena/internal/result"
)

// fileFlags name the files to run, or to judge by. A command registers the flags that it has.
type fileFlags struct {
	paths          []string
	config         string
	asserts, packs []string // files with checks, for recordings or an earlier run
	transcripts    []string // recordings named by a flag
	over           []string // recordings to judge instead of running conversations
	stdin          string   // the file with stdin, if stdin is a recording; "": it is not
	only           []string // ids of recorded conversations
	skipUnreadable bool
}

func (f *fileFlags) validate(g givenFlags) error {
	return g.empties(map[string][]string{"assert": f.asserts, "pack": f.packs, "transcript": f.transcripts})
}

func (f *fileFlags) toSpec(s *result.Spec) {
	s.Config, s.Asserts, s.Packs = f.config, f.asserts, f.packs
	if s.Command != "eval" { // its paths are recordings, not files with checks
		s.Paths = f.paths
	}
}
