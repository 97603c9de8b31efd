package cli

import (
	"fmt"

	"github.com/spf13/pflag"
)

// configVar adds -c. A second file would take the place of the first, whose scenarios nobody would miss.
func configVar(fl *pflag.FlagSet, path *string, usage string) {
	fl.VarP(&configFile{path: path}, "config", "c", usage)
}

type configFile struct {
	path  *string
	given bool
}

func (c *configFile) String() string {
	if c.path == nil {
		return ""
	}
	return *c.path
}

func (c *configFile) Type() string { return "string" }

func (c *configFile) Set(path string) error {
	if c.given && path != *c.path {
		return &secondConfigError{*c.path, path}
	}
	*c.path, c.given = path, true
	return nil
}

// secondConfigError names two arena files.
type secondConfigError struct{ first, second string }

func (e *secondConfigError) Error() string {
	return fmt.Sprintf("--config takes one arena file, found %q and %q\nuse a command of its own for each",
		e.first, e.second)
}
