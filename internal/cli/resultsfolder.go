package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/scenario"
)

// resultsFolder is the results folder of arena run in the working directory, for commands without a flag for it: from
// variables, .arena.yaml, or the config.
func (a *App) resultsFolder(cmd *cobra.Command) (string, error) {
	known := flagNames(cmd.Root())
	file, err := readSettings(cmd.Root(), known)
	if err != nil {
		return "", err
	}
	if err := file.complain(a); err != nil {
		return "", err
	}
	setting := func(flag string) string {
		return cmp.Or(a.Env[variable(flag)], file.values[flag])
	}
	if out := setting("out"); out != "" {
		return out, nil
	}
	dir := scenario.OutputDir(scenario.Options{Config: setting("config"), Getenv: a.Getenv})
	return cmp.Or(dir, harness.DefaultOut), nil
}
