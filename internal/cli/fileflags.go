package cli

import (
	"github.com/arena-evals/arena/internal/result"
)

// fileFlags name the files that are run, or by which is judged. Commands register those that they have.
type fileFlags struct {
	paths          []string
	config         string
	asserts, packs []string // to judge recordings or an earlier run by
	transcripts    []string // recordings that a flag names
	over           []string // recordings to judge instead of having conversations
	stdin          string   // the file with what came in, when that is a recording; "": it is none
	only           []string // ids of recorded conversations
	skipUnreadable bool
}

func (f *fileFlags) validate(g givenFlags) error {
	return g.empties(map[string][]string{"assert": f.asserts, "pack": f.packs, "transcript": f.transcripts})
}

func (f *fileFlags) ask(s *result.Spec) {
	s.Config, s.Asserts, s.Packs = f.config, f.asserts, f.packs
	if s.Command != "eval" { // whose paths are what it judges by
		s.Paths = f.paths
	}
}
