package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/diag"
)

const rootLong = `arena tests LLM agents and prompts the way a good test runner tests code.

Scenarios in YAML say what the user writes and what must be true of every reply and
of the whole conversation. arena drives them against a model, a local server or a
mock, checks them, and reports in the terminal, JUnit, HTML, JSON and Markdown.

Start here:
  arena init demo && cd demo && arena run     a small project, green and offline at once
  arena run scenarios/                        run what a folder holds
  arena run --provider openai/gpt-4o-mini     the same against another model
  arena validate                              look for mistakes without running anything
  arena checks                                what can be asserted

Exit status: 0 everything passed · 1 an assertion failed · 2 a file or flag is wrong,
nothing was run · 3 something broke · 130 interrupted, what finished is on disk.`

func newRoot(app *App) *cobra.Command {
	root := &cobra.Command{
		Use:           "arena",
		Short:         "Test LLM agents and prompts",
		Long:          rootLong,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(app.Out)
	root.SetErr(app.Err)
	root.SetVersionTemplate("arena {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.DisableDefaultCmd = false
	root.AddCommand(
		newRunCmd(app), newValidateCmd(app), newListCmd(app), newChecksCmd(app), newSchemaCmd(app), newInitCmd(app),
		newReportCmd(app), newVersionCmd(app), newManCmd(),
	)
	return root
}

func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	err := fmt.Errorf("unknown command %q for %q", args[0], c.CommandPath())
	if near := diag.Nearest(args[0], names); near != "" {
		return fmt.Errorf("%w\ndid you mean %q?", err, c.CommandPath()+" "+near)
	}
	return fmt.Errorf("%w\nknown: %s", err, strings.Join(names, ", "))
}

// flagError adds the nearest name to an unknown flag.
func flagError(c *cobra.Command, err error) error {
	rest, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return fmt.Errorf("%w\nsee %s --help", err, c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := diag.Nearest(rest, names); near != "" {
		return fmt.Errorf("unknown flag --%s\ndid you mean --%s?", rest, near)
	}
	return fmt.Errorf("unknown flag --%s\nsee %s --help", rest, c.CommandPath())
}

// complain prints an error of the command line: the first line marked, what follows as hints.
func (a *App) complain(err error) {
	lines := strings.Split(strings.TrimRight(err.Error(), "\n"), "\n")
	_, _ = fmt.Fprintf(a.Err, "arena: %s\n", lines[0]) // nothing is left to report a broken stderr to
	for _, l := range lines[1:] {
		_, _ = fmt.Fprintf(a.Err, "  = %s\n", l)
	}
}
