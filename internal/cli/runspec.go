package cli

import (
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/result"
)

// specOf returns what a run was asked to do; nil: not known.
func specOf(run *result.Run) (*result.Spec, error) {
	if run.Spec != nil {
		return run.Spec, nil
	}
	return oldSpec(run.Command)
}

// resumeSpec returns what the run of a journal was asked to do; nil: not known.
func resumeSpec(h *result.JournalHeader) (*result.Spec, error) {
	if h.Spec != nil {
		return h.Spec, nil
	}
	return oldSpec(h.Resume)
}

// oldSpec reads the spec from the words of the command: older journals have no spec in their header. Remove it when
// nobody resumes such journals any more.
func oldSpec(words []string) (*result.Spec, error) {
	if len(words) < 2 {
		return nil, nil
	}
	f := &runFlags{words: words[:2], given: givenFlags{}}
	fl := pflag.NewFlagSet("then", pflag.ContinueOnError)
	f.register(fl)
	fl.StringSliceVar(&f.asserts, "assert", nil, "")
	fl.StringSliceVar(&f.packs, "pack", nil, "")
	if err := fl.Parse(words[2:]); err != nil {
		return nil, err
	}
	f.given.note(fl, byUser)
	f.paths = fl.Args()
	if words[1] == "rejudge" && len(f.paths) > 0 { // rejudge takes a run as its first argument
		f.paths = f.paths[1:]
	}
	return f.spec(), nil
}
