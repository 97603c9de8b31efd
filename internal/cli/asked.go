package cli

import (
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/result"
)

// specOf is what was asked of a run; nil where that is not known.
func specOf(run *result.Run) (*result.Spec, error) {
	if run.Spec != nil {
		return run.Spec, nil
	}
	return oldSpec(run.Command)
}

// resumeSpec is what was asked of the run of a journal, of which another run is to go on; nil where that is not known.
func resumeSpec(h *result.JournalHeader) (*result.Spec, error) {
	if h.Spec != nil {
		return h.Spec, nil
	}
	return oldSpec(h.Resume)
}

// oldSpec reads what was asked of a run out of the words of its command, as journals had them alone before their
// header held the spec. To be removed when nobody goes on with such journals any more: what they hold was paid for.
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
	if words[1] == "rejudge" && len(f.paths) > 0 { // whose first argument is a run
		f.paths = f.paths[1:]
	}
	return f.spec(), nil
}
