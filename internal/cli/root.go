package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
)

const rootLong = `arena tests LLM agents and prompts the way a good test runner tests code.

Scenarios in YAML say what the user writes and what must be true of every reply and
of the whole conversation. arena drives them against a model, a local server, a mock or
a recording, checks them, and reports in the terminal, JUnit, HTML, JSON and Markdown.

Start here:
  arena init demo && cd demo && arena run     a small project, green and offline at once
  arena run scenarios/                        run what a folder holds
  arena run --provider openai/gpt-4o-mini     the same against another model
  arena run --record tapes/                   keep what was said; --replay answers from it
  arena chat refund                           talk to the agent; /save writes a scenario
  arena eval talk.json --assert checks.yaml   judge a conversation that is over
  arena validate                              look for mistakes without running anything
  arena checks                                what can be asserted
  arena docs                                  guides, and what may stand in the files

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
		RunE:          needsCommand,

		PersistentPreRunE: notBlank,
	}
	root.SetOut(app.Out)
	root.SetErr(app.Err)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.DisableDefaultCmd = false
	root.SetUsageFunc(usage)
	addGroup(root, "Run and judge", newRunCmd(app), newEvalCmd(app), newRejudgeCmd(app), newCompareCmd(app),
		newAnalyzeCmd(app), newBlessCmd(app), newReportCmd(app), newMergeCmd(app))
	addGroup(root, "Write and look", newInitCmd(app), newValidateCmd(app), newListCmd(app), newPromptCmd(app),
		newChatCmd(app),
		newGateCmd(app), newToolsCmd(app), newDoctorCmd(app), newChecksCmd(app), newSchemaCmd(app), newDocsCmd(app))
	addGroup(root, "Recordings and judges", newCaptureCmd(app), newGenerateCmd(app), newMocksCmd(app), newJudgeCmd(app),
		newCacheCmd(app))
	root.AddCommand(newWorkerCmd(app), newVersionCmd(app))
	strict(root)
	givenOnce(root)
	return root
}

// addGroup adds commands below a heading of the help text.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// strict makes cobra's own commands refuse unknown names, instead of printing help with status 0.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Run, c.RunE = nil, help
		case "completion":
			c.Args, c.RunE = unknownCommand, needsCommand
		}
	}
}

// needsCommand prints the help of a command that only has subcommands. The status is that of a mistake: a CI job with
// an empty variable as its command has run nothing.
func needsCommand(c *cobra.Command, _ []string) error {
	return errors.Join(c.Help(), exit(result.ExitUsage))
}

func help(c *cobra.Command, args []string) error {
	about, rest, err := c.Root().Find(args)
	if err != nil {
		return err
	}
	if about.HasSubCommands() && len(rest) > 0 {
		return unknownCommand(about, rest)
	}
	about.InitDefaultHelpFlag()
	about.InitDefaultVersionFlag()
	return about.Help()
}

// otherNames maps names of commands in other tools to ours.
var otherNames = map[string]string{
	"test": "run", "start": "run", "lint": "validate", "check": "validate", "new": "init", "create": "init",
	"ls": "list", "show": "list", "replay": "run", "record": "run", "exec": "run", "view": "report", "open": "report",
	"diff": "compare", "approve": "bless", "accept": "bless", "baseline": "bless", "snapshot": "bless", "mock": "mocks",
	"score": "rejudge", "grade": "rejudge", "talk": "chat", "repl": "chat", "dev": "chat", "import": "generate",
	"convert": "generate", "migrate": "generate", "trace": "capture", "status": "doctor", "man": "docs",
	"stats": "analyze",
}

// commandHint is what to do in place of a command of other tools that arena has under no name.
func commandHint(name string) string {
	switch name {
	case "serve", "ui", "web", "dashboard", "server", "viewer":
		return "there is no server: open out/report.html in a browser, or arena report prints a run again"
	case "login", "logout", "auth", "whoami", "deploy", "share", "upload", "push":
		return "there is no account, and nothing is sent anywhere: keys come from the environment; arena doctor looks at them"
	case "watch":
		return "arena runs once; arena run --last-failed runs only what failed before"
	case "estimate", "cost", "plan":
		return "arena run --estimate says what a run would cost, and arena run --list what it would be"
	case "update", "upgrade", "install", "self-update":
		return "a newer arena takes the place of this program; arena version says which one this is"
	case "config", "settings", "set":
		return "settings stand in .arena.yaml, and a project in config.arena.yaml; arena init writes one to begin with"
	}
	return ""
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
	if meant := otherNames[args[0]]; meant != "" && slices.Contains(names, meant) {
		return fmt.Errorf("%w\ndid you mean %q?", err, c.CommandPath()+" "+meant)
	}
	if hint := commandHint(args[0]); hint != "" && c == c.Root() {
		return fmt.Errorf("%w\n%s", err, hint)
	}
	if near := diag.Nearest(args[0], names); near != "" {
		return fmt.Errorf("%w\ndid you mean %q?", err, c.CommandPath()+" "+near)
	}
	return fmt.Errorf("%w\nknown: %s", err, strings.Join(names, ", "))
}

// complain prints an error of the command line: the first line marked, the others as hints. Joined errors are printed
// one by one. An error about a setting names the setting.
func (a *App) complain(err error) {
	var e *exitError
	if errors.As(err, &e) && e.err != nil {
		err = e.err
	}
	if list, ok := err.(interface{ Unwrap() []error }); ok && errors.Join(list.Unwrap()...).Error() == err.Error() {
		for _, err := range list.Unwrap() {
			a.complain(err)
		}
		return
	}
	lines := strings.Split(strings.TrimRight(err.Error(), "\n"), "\n")
	d := a.blame(diag.Diagnostic{Msg: lines[0], Code: "wrong-setting", Hint: strings.Join(lines[1:], "; ")})
	if d.Pos.File == "" {
		a.printMessage(strings.Join(append([]string{d.Msg}, lines[1:]...), "\n"))
		return
	}
	list := []diag.Diagnostic{d}
	_ = diag.Print(a.Err, list, diag.PrintOptions{Width: a.Width(), Read: plainfile.Read}) // stderr may be broken
}

// printMessage prints a message: the first line marked, the others as hints.
func (a *App) printMessage(text string) {
	lines := strings.Split(text, "\n")
	_, _ = fmt.Fprintf(a.Err, "arena: %s\n", lines[0]) // a write error on stderr is ignored
	for _, l := range lines[1:] {
		_, _ = fmt.Fprintf(a.Err, "  = %s\n", l)
	}
}

// Commands is the command tree, for programs that document it.
func Commands(app *App) *cobra.Command { return newRoot(app) }
