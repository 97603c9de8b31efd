package cli

import "github.com/spf13/pflag"

// screenFlags say how a run looks in the terminal.
type screenFlags struct {
	ci, quiet bool
	verbose   int
	color     string
}

func (f *screenFlags) register(fl *pflag.FlagSet) {
	fl.BoolVar(&f.ci, "ci", false, "plain output without colour or redrawing, as in a pipe")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, quietHelp)
	fl.CountVarP(&f.verbose, "verbose", "v", "also requests and replies, cut short; -vv whole, and stderr of tools")
	fl.StringVar(&f.color, "color", "auto", "`when` to colour the output: auto, always or never")
}

func (f *screenFlags) validate() error {
	return oneOf("color", []string{f.color}, "auto", "always", "never")
}

// quietHelp describes -q: no lines of passed trials and no progress, but all problems.
const quietHelp = "only failures, warnings and the summary"
