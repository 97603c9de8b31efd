package cli

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/diag"
)

// handedOn are the variables that arena gives the programs which it starts: one of them may call arena again.
var handedOn = []string{
	"ARENA_KEEPER", "ARENA_PROGRAM", "ARENA_SCENARIO", "ARENA_TRACE_DIR", "ARENA_TRIAL_ID", "ARENA_TURN",
}

// themeOfOthers sets the colours of another tool that reads the same files.
const themeOfOthers = "ARENA_THEME"

// ofServices matches the variables that Kubernetes sets in every container for a service whose name begins with arena.
var ofServices = sync.OnceValue(func() *regexp.Regexp {
	const port = `PORT(_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)?`
	return regexp.MustCompile(`^ARENA_([A-Z0-9_]+_)?(SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|` + port + `)$`)
})

// foreign reports whether a variable begins as settings do, and is known to be none.
func foreign(name string) bool {
	return slices.Contains(handedOn, name) || name == themeOfOthers || ofServices().MatchString(name)
}

// refuseUnknownVariables refuses the variables that begin as settings do and set nothing for any command: what somebody
// meant to set must not go missing. Those that are no setting of this command alone may be meant for others.
func refuseUnknownVariables(app *App, cmd *cobra.Command, known []string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(app.Env)) {
		word, ours := strings.CutPrefix(name, envPrefix)
		if !ours || app.Env[name] == "" {
			continue
		}
		at := slices.IndexFunc(known, func(flag string) bool { return variable(flag) == name })
		switch {
		case at >= 0:
			flag := canonical(known[at])
			if cmd.Flags().Lookup(flag) == nil && typed[flag] != "" && !slices.Contains(ofWorkers, flag) && !foreign(name) {
				errs = append(errs, notSetting(name, flag, typed[flag]))
			}
		case !foreign(name):
			errs = append(errs, fmt.Errorf("the variable %s sets nothing\n%s", name, instead(name, word, known)))
		}
	}
	return errors.Join(errs...)
}

// instead says what may have been meant by a variable that sets nothing.
func instead(name, word string, known []string) string {
	word = strings.ToLower(word)
	near := diag.Nearest(word, known)
	if near == "" || near[0] != word[0] { // nobody mistypes the first letter
		near = ""
		most := 0
		for _, flag := range known {
			if n := sharedWords(name, variable(flag)); n > most {
				near, most = flag, n
			}
		}
	}
	switch flag := canonical(near); {
	case near == "":
		return "variables that begin with ARENA_ are settings of arena: unset it, or give what is not arena's another name"
	case typed[flag] != "":
		return fmt.Sprintf("did you mean --%s? it works only on the command line, because %s", near, typed[flag])
	}
	return "did you mean " + variable(near) + "?"
}

// sharedWords is with how many of the same words two variables begin, behind ARENA_; 0 unless one begins with all of
// the other.
func sharedWords(a, b string) int {
	x, y := strings.Split(a, "_")[1:], strings.Split(b, "_")[1:]
	n := min(len(x), len(y))
	if !slices.Equal(x[:n], y[:n]) {
		return 0
	}
	return n
}

// holding are the settings that hold a run to something: without them more is green, or paid for.
var holding = []string{"baseline", "fail-on", "max-cost", "max-trials", "strict"}

// warnEmptySettings tells of settings of the command that hold it to nothing because they are empty: most likely a
// variable was to be filled in.
func warnEmptySettings(app *App, cmd *cobra.Command) {
	for _, flag := range holding {
		if value, set := app.Env[variable(flag)]; set && value == "" && cmd.Flags().Lookup(flag) != nil &&
			!cmd.Flags().Changed(flag) {
			app.remark("the variable %s is empty, and sets nothing", variable(flag))
		}
	}
}
