package cli

import (
	"slices"

	"github.com/spf13/pflag"
)

// formatFlags choose between text and JSON.
type formatFlags struct {
	asJSON bool
	name   string
}

var outputFormats = []string{"text", "json"}

func (f *formatFlags) register(fl *pflag.FlagSet) {
	fl.BoolVar(&f.asJSON, "json", false, "print JSON (also --format json)")
	fl.StringVar(&f.name, "format", "", "text or json")
	flag := fl.Lookup("format")
	flag.Hidden, flag.Annotations = true, map[string][]string{notASetting: {"the setting is of reports"}}
}

func (f *formatFlags) validate() error {
	if f.name == "" || slices.Contains(outputFormats, f.name) {
		return nil
	}
	return oneOf("format", []string{f.name}, outputFormats...)
}

func (f *formatFlags) json() bool { return f.asJSON || f.name == "json" }
