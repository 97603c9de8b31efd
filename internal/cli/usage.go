package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// flagError words a mistake in flags, with the nearest name for an unknown flag.
func flagError(c *cobra.Command, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if second, ok := errors.AsType[*secondValueError](err); ok {
			return second
		}
		return badValue("--"+bad.GetFlag().Name, bad.GetFlag(), bad.GetValue())
	}
	if lacks, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return fmt.Errorf("%w\nit takes %s", err, taken(lacks.GetFlag()))
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if ok && unknown.GetSpecifiedShortnames() != "" {
		short := unknown.GetSpecifiedName()
		if long := shortHints[short]; slices.Contains(names, long) {
			return fmt.Errorf("unknown flag -%s\nthat is --%s here", short, long)
		}
	}
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("%w\nsee %s --help", err, c.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	if hint := flagHint(name); hint != "" && slices.Contains(names, "scenario") {
		return fmt.Errorf("unknown flag --%s\n%s", name, hint)
	}
	if flag, known := flagElsewhere(name, names); flag != "" {
		return fmt.Errorf("unknown flag --%s\nthat is --%s here", name, flag)
	} else if known {
		names = nil // no name is near
	}
	if near := diag.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown flag --%s\ndid you mean --%s?", name, near)
	}
	if has := commandsWith(c.Root(), name); len(has) > 0 {
		return fmt.Errorf("unknown flag --%s of %s\nthat is a flag of %s", name, c.CommandPath(), strings.Join(has, ", "))
	}
	return fmt.Errorf("unknown flag --%s\nsee %s --help", name, c.CommandPath())
}

// commandsWith names up to three commands that have a flag.
func commandsWith(root *cobra.Command, flag string) (has []string) {
	for _, c := range root.Commands() {
		if !c.Hidden && c.Flags().Lookup(flag) != nil && len(has) < 3 {
			has = append(has, c.CommandPath())
		}
	}
	return has
}

// badValue says which values a flag takes. source is the flag, variable or setting.
func badValue(source string, f *pflag.Flag, value string) error {
	err := fmt.Errorf("%s must be %s, found %q", source, taken(f), value)
	if share, ok := node.PercentAsShare(value); ok && f.Value.Type() == "float64" {
		err = fmt.Errorf("%w\n%s", err, share)
	}
	return err
}

// taken describes the values of a flag.
func taken(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64", "count":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a time such as 90s or 5m"
	case "stringSlice", "stringArray":
		return "a list with commas between"
	case "stringToString":
		return "name=text"
	}
	return "text"
}

// takesList reports whether a flag takes a list.
func takesList(f *pflag.Flag) bool {
	return strings.HasPrefix(f.Value.Type(), "string") && f.Value.Type() != "string"
}

// takes checks the number of arguments; most -1: no limit.
func takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		var problem string
		switch {
		case len(args) < least:
			problem = "an argument is missing"
		case most >= 0 && len(args) > most:
			problem = fmt.Sprintf("unexpected argument %q", args[most])
		default:
			return nil
		}
		return fmt.Errorf("%s\nusage: %s", problem, c.UseLine())
	}
}
