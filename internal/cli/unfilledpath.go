package cli

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// written lists the flags that name an output: a file at a wrong path is hard to find.
var written = []string{
	"out", "record", "cache", "events", "html-file", "junit-file", "markdown-file", "metrics-file",
}

// shellVariable matches ~ and variables that a shell would replace.
var shellVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{?[A-Za-z_]\w*\}?|%[A-Z_]+%`)
})

// unfilledPaths refuses output paths with ~ or a variable that no shell has replaced: in settings, and within quotes.
func unfilledPaths(cmd *cobra.Command) (errs []error) {
	for _, name := range written {
		f := cmd.Flags().Lookup(name)
		if f == nil || f.Value.Type() != "string" {
			continue
		}
		path, found := f.Value.String(), ""
		switch {
		case path == "~" || strings.HasPrefix(path, "~/"):
			found = "~"
		default:
			found = shellVariable().FindString(path)
		}
		if found != "" {
			errs = append(errs, fmt.Errorf("--%s %s: %s is not filled in here\nwrite the whole path",
				name, shellQuote(path), found))
		}
	}
	return errs
}
