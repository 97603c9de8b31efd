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

// handedOn are the variables that arena sets for programs that it starts: such a program may call arena.
var handedOn = []string{
	"ARENA_KEEPER", "ARENA_PROGRAM", "ARENA_SCENARIO", "ARENA_TRACE_DIR", "ARENA_TRIAL_ID", "ARENA_TURN",
}

// themeOfOthers sets the colours of another tool that reads the same files.
const themeOfOthers = "ARENA_THEME"

// kubernetesVariable matches variables that Kubernetes sets for a service whose name begins with arena.
var kubernetesVariable = sync.OnceValue(func() *regexp.Regexp {
	const port = `PORT(_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)?`
	return regexp.MustCompile(`^ARENA_([A-Z0-9_]+_)?(SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|` + port + `)$`)
})

// foreign reports whether a variable has the prefix of settings but is none.
func foreign(name string) bool {
	return slices.Contains(handedOn, name) || name == themeOfOthers || kubernetesVariable().MatchString(name)
}

// refuseUnknownVariables refuses variables with the prefix of settings that set nothing in any command. A variable for
// another command is allowed.
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
			if cmd.Flags().Lookup(flag) == nil && typed[flag] != "" && !slices.Contains(workerSettings, flag) && !foreign(name) {
				errs = append(errs, notSetting(name, flag, typed[flag]))
			}
		case !foreign(name):
			errs = append(errs, fmt.Errorf("the variable %s sets nothing\n%s", name, instead(name, word, known)))
		}
	}
	return errors.Join(errs...)
}

// instead suggests the setting that a variable may have been meant for.
func instead(name, word string, known []string) string {
	word = strings.ToLower(word)
	near := diag.Nearest(word, known)
	if near == "" || near[0] != word[0] { // typing errors rarely change the first letter
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

// sharedWords is the number of words that two variables share after ARENA_; 0 unless one is a prefix of the other.
func sharedWords(a, b string) int {
	x, y := strings.Split(a, "_")[1:], strings.Split(b, "_")[1:]
	n := min(len(x), len(y))
	if !slices.Equal(x[:n], y[:n]) {
		return 0
	}
	return n
}

// restrictingSettings make a run stricter or cheaper.
var restrictingSettings = []string{"baseline", "fail-on", "max-cost", "max-trials", "strict"}

// warnEmptySettings warns of empty restrictingSettings: most likely a variable was not filled in.
func warnEmptySettings(app *App, cmd *cobra.Command) {
	for _, flag := range restrictingSettings {
		if value, set := app.Env[variable(flag)]; set && value == "" && cmd.Flags().Lookup(flag) != nil &&
			!cmd.Flags().Changed(flag) {
			app.remark("the variable %s is empty, and sets nothing", variable(flag))
		}
	}
}
