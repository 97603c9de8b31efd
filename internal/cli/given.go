package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/diag"
)

// givenFlags are the flags with a value other than the default, with its source.
type givenFlags map[string]givenBy

// givenBy is the source of the value of a flag.
type givenBy uint8

const (
	bySetting    givenBy = iota + 1 // a variable, or .arena.yaml
	byUser                          // the command line
	byEarlierRun                    // the run that is resumed, or judged again
)

// has reports whether a flag has a value.
func (g givenFlags) has(flag string) bool { return g[flag] != 0 }

// typed reports whether the user typed a flag.
func (g givenFlags) typed(flag string) bool { return g[flag] == byUser }

// among returns those of some flags that have a value.
func (g givenFlags) among(flags []string) (given []string) {
	for _, flag := range flags {
		if g.has(flag) {
			given = append(given, flag)
		}
	}
	return given
}

// note records the source of flags that have a value now and had none before.
func (g givenFlags) note(flags *pflag.FlagSet, by givenBy) {
	flags.Visit(func(fl *pflag.Flag) {
		if !g.has(fl.Name) {
			g[fl.Name] = by
		}
	})
}

// settings applies the settings to a command.
func (g *givenFlags) settings(app *App, cmd *cobra.Command) error {
	*g = givenFlags{}
	g.note(cmd.Flags(), byUser)
	err := applySettings(app, cmd)
	g.note(cmd.Flags(), bySetting)
	return err
}

// notEmpty refuses a flag with a blank value: most likely from an unset variable.
func (g givenFlags) notEmpty(flag, what string, values ...string) error {
	if g.has(flag) && strings.TrimSpace(strings.Join(values, "")) == "" {
		return fmt.Errorf("--%s is empty: %s, or leave the flag out", flag, what)
	}
	return nil
}

// atLeast refuses a number below a minimum.
func (g givenFlags) atLeast(least int, flag string, n int) error {
	if g.has(flag) && n < least {
		return fmt.Errorf("--%s must be at least %d, found %d", flag, least, n)
	}
	return nil
}

// pointerTo is the value of a flag, or nil if the flag was not given: 0 is a value.
func pointerTo[T any](g givenFlags, flag string, v T) *T {
	if g.has(flag) {
		return &v
	}
	return nil
}

// recall sets a flag to its value in an earlier run, unless it was given now.
func recall[T any](g givenFlags, flag string, now *T, then T, had bool) {
	if had && !g.has(flag) {
		*now, g[flag] = then, byEarlierRun
	}
}

func recallList(g givenFlags, flag string, now *[]string, then []string) {
	recall(g, flag, now, slices.Clone(then), len(then) > 0)
}

// recallReasons recalls --fail-on. Reasons that are given now add to it; an empty list clears it.
func recallReasons(g givenFlags, now *[]string, then []string) {
	recallList(g, failOn, now, then)
	if len(*now) > 0 {
		*now = union(*now, then)
	}
}

// recallValue recalls a value, unless it is zero.
func recallValue[T comparable](g givenFlags, flag string, now *T, then T) {
	var zero T
	recall(g, flag, now, then, then != zero)
}

func recallPointer[T any](g givenFlags, flag string, now, then *T) {
	if then != nil {
		recall(g, flag, now, *then, true)
	}
}

func oneOf(flag string, values []string, words ...string) error {
	for _, v := range values {
		if slices.Contains(words, v) {
			continue
		}
		known := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
		err := fmt.Errorf("--%s cannot be %q; expected %s", flag, v, strings.Join(known, ", "))
		if near := diag.Nearest(v, known); near != "" {
			err = fmt.Errorf("%w\ndid you mean %q?", err, near)
		}
		return err
	}
	return nil
}

// empties are errors for blank flags that name files to run.
func (g givenFlags) empties(flags map[string][]string) error {
	const what = "give it a value"
	var errs []error
	for _, flag := range slices.Sorted(maps.Keys(flags)) {
		errs = append(errs, g.notEmpty(flag, what, flags[flag]...))
	}
	return errors.Join(errs...)
}
