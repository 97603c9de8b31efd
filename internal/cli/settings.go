package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/arena-evals/arena/internal/diag"
)

const settingsFile = ".arena.yaml"

// envPrefix of the variables that set flags: ARENA_MAX_TOKENS is --max-tokens.
const envPrefix = "ARENA_"

// applySettings fills in the flags that the command line leaves open: from ARENA_* variables, then from .arena.yaml in
// the working directory. Nothing below the command line ever sees a setting's name.
func applySettings(app *App, cmd *cobra.Command) error {
	v := viper.New()
	v.SetConfigFile(settingsFile)
	v.SetConfigType("yaml")
	if err := v.ReadInConfig(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", settingsFile, err)
	}
	known := flagNames(cmd.Root())
	for _, key := range v.AllKeys() {
		if !slices.Contains(known, key) {
			err := fmt.Errorf("%s: unknown setting %q", settingsFile, key)
			if near := diag.Nearest(key, known); near != "" {
				err = fmt.Errorf("%w\ndid you mean %q? settings have the names of flags", err, near)
			}
			return err
		}
	}
	var errs []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == "help" {
			return
		}
		source, value, set := "", "", false
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if value, set = app.Getenv(name); set {
			source = name
		} else if v.IsSet(f.Name) {
			source, value, set = settingsFile+": "+f.Name, settingText(v.Get(f.Name)), true
		}
		if !set {
			return
		}
		if err := f.Value.Set(value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %q does not fit --%s: %w", source, value, f.Name, err))
		}
		f.Changed = true
	})
	return errors.Join(errs...)
}

// settingText writes a setting as the flag would be typed; lists are joined by commas.
func settingText(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v)
	}
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = fmt.Sprint(e)
	}
	return strings.Join(words, ",")
}

// flagNames lists the flags of every command.
func flagNames(root *cobra.Command) []string {
	var out []string
	add := func(f *pflag.Flag) { out = append(out, f.Name) }
	root.Flags().VisitAll(add)
	for _, c := range root.Commands() {
		c.Flags().VisitAll(add)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
