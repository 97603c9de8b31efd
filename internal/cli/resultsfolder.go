package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/scenario"
)

// resultsFolder is where arena run leaves its results in the working directory, for commands that have no such flag of
// their own: as the variables say, else .arena.yaml, else the config.
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
		word, _ := file.values[flag].(string)
		return cmp.Or(a.Env[variable(flag)], word)
	}
	if out := setting("out"); out != "" {
		return out, nil
	}
	dir := scenario.OutputDir(scenario.Options{Config: setting("config"), Getenv: a.Getenv})
	return cmp.Or(dir, harness.DefaultOut), nil
}
