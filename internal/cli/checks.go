package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/conformance"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/result"
)

func newChecksCmd(app *App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "checks [type]",
		Short: "List the checks, or explain one",
		Long: `Checks lists what can be asserted, by family. With a type it prints how that check scores, where it
may stand, its parameters and its examples.`,
		Example: `  arena checks
  arena checks tools_called
  arena checks try contains --params '{"patterns": ["refund"]}' --output "Your refund is on its way."
  arena checks verify my-vectors/`,
		Args: takes(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listChecks(app, asJSON)
			}
			return explainCheck(app, args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, for editors and scripts")
	cmd.AddCommand(newVerifyCmd(app), newTryCmd(app))
	return cmd
}

func listChecks(app *App, asJSON bool) error {
	all := checks.Builtin()
	if asJSON {
		docs := make([]checkDoc, len(all))
		for i, d := range all {
			var err error
			if docs[i], err = docOf(d); err != nil {
				return err
			}
		}
		return writeJSON(app, docs)
	}
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	longest := 0
	for _, d := range all {
		longest = max(longest, len(d.Name))
	}
	room := math.MaxInt // in a pipe, one line for each check
	if app.OutTTY {
		room = max(app.Width()-longest-4, 40)
	}
	for _, family := range checks.Families() {
		list := checks.In(family)
		if len(list) == 0 {
			continue
		}
		_, _ = fmt.Fprintf(w, "%s\n", family) // a tabwriter returns its first error from Flush
		for _, d := range list {
			_, _ = fmt.Fprintf(w, "  %s\t%s\n", d.Name, strings.Join(wrapped(d.Summary, room), "\n\t"))
		}
		_, _ = fmt.Fprintln(w)
	}
	_, _ = fmt.Fprintf(w, "`arena checks TYPE` explains one of them.\n")
	return ifBroken(w.Flush())
}

func writeJSON(app *App, v any) error {
	enc := json.NewEncoder(screen.Data(app.Out))
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return ifBroken(enc.Encode(v))
}

func explainCheck(app *App, name string, asJSON bool) error {
	d, ok := checks.Lookup(name)
	if !ok {
		return unknownCheck(name)
	}
	if asJSON {
		doc, err := docOf(d)
		if err != nil {
			return err
		}
		return writeJSON(app, doc)
	}
	return ifBroken(describe(app.Out, d))
}

func unknownCheck(name string) error {
	var known []string
	for _, d := range checks.Builtin() {
		known = append(known, d.Names()...)
	}
	err := fmt.Errorf("unknown check %q", name)
	if exists(name) {
		return fmt.Errorf("%w\nto look at a file: arena validate %s", err, name)
	}
	nearest := func(name string) string { return diag.Nearest(name, known) }
	if meant := checks.Meant(name, nearest); meant != "" {
		err = fmt.Errorf("%w\n%s", err, meant)
	}
	return fmt.Errorf("%w\n`arena checks` lists all of them", err)
}

func newVerifyCmd(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "verify file|folder...",
		Short: "Run checks over vectors: inputs with the verdicts that are right for them",
		Long: `Verify runs every vector of the files, prints each disagreement, and ends with
"checks: X/Y vectors agree". A vector file is JSON: {"type", "scope", "vectors": [{"name",
"params", "context": {"output" or "messages", ...}, "expect": {"score", "passed", ...}}]}.
With "judge_reply" or "judge_error" beside its params a vector has a judge, which gives that.
A file with a "topic" in place of a type is about what surrounds the checks, such as guardrails.

Exit status: 0 all agree, 1 at least one does not.`,
		Example: `  arena checks verify vectors/contains.json`,
		Args:    takes(1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			a, err := conformance.Run(c.Context(), args...)
			if err != nil {
				return err
			}
			if err := a.Write(app.Out); err != nil {
				return broken(err)
			}
			switch {
			case a.Total == 0:
				return errors.New("no vector was run")
			case a.Agree != a.Total:
				return exit(result.ExitFailed)
			}
			return nil
		},
	}
}

type tryFlags struct {
	params, output, scope string
	asJSON                bool
}

func newTryCmd(app *App) *cobra.Command {
	f := &tryFlags{}
	cmd := &cobra.Command{
		Use:     "try type",
		Short:   "Judge one text with one check",
		Example: `  arena checks try max_length --params '{"max": 20}' --output "How can I help you?"`,
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("output") {
				return errors.New("--output is missing: the text to judge")
			}
			return f.run(c, app, args[0])
		},
	}
	cmd.Flags().StringVar(&f.params, "params", "", "parameters as `JSON`")
	cmd.Flags().StringVar(&f.output, "output", "", "reply `text` to judge")
	cmd.Flags().StringVar(&f.scope, "scope", "turn", "what the text stands for, a `part`: turn or session")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the verdict as JSON")
	return cmd
}

func (f *tryFlags) run(c *cobra.Command, app *App, name string) error {
	verdict, problems := checks.Try(c.Context(), name, f.params, f.output, f.scope)
	for i := range problems { // they concern the command line, not a file
		pos := &problems[i].Pos
		pos.File = ""
		if pos.Line > 0 {
			pos.File = "--params"
		}
	}
	if len(problems) > 0 {
		color := app.useColor("auto", app.ErrTTY)
		err := diag.Print(painted(app.Err, color), problems, diag.PrintOptions{
			Color: color, Read: func(string) ([]byte, error) { return []byte(f.params), nil },
		})
		if err != nil {
			return broken(err)
		}
	}
	if verdict == nil {
		return exit(result.ExitUsage)
	}
	if err := f.show(app, verdict); err != nil {
		return err
	}
	switch verdict.Status {
	case result.Passed, result.Skipped:
		return nil
	case result.Failed:
		return exit(result.ExitFailed)
	default:
		return exit(result.ExitError)
	}
}

func (f *tryFlags) show(app *App, v *result.Verdict) error {
	if f.asJSON {
		v.Position = diag.Pos{}
		return writeJSON(app, v)
	}
	text := v.Status.String()
	if v.Score != nil {
		text += fmt.Sprintf("  score %.4g", *v.Score)
	}
	_, err := fmt.Fprintf(app.Out, "%s  %s\n", text, diag.Safe(v.Error+v.SkipReason+v.Explanation))
	return ifBroken(err)
}
