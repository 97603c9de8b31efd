package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

const validateLong = `Validate reads the files as run would, compiles every check, plans a run of all of them, and
prints every problem of every file with its place; of datasets it reads the rows, up to 10,000 of
each. It contacts nothing and runs nothing. What this version of arena cannot run yet is a warning
here and refused by run.`

type validateFlags struct {
	config, mockConfig string
	asJSON             bool
	strict, lenient    bool
	color              string
}

func newValidateCmd(app *App) *cobra.Command {
	f := &validateFlags{}
	cmd := &cobra.Command{
		Use:   "validate [path...]",
		Short: "Look for mistakes without running anything",
		Long:  validateLong,
		Example: `  arena validate
  arena validate scenarios/ packs/support.json
  arena validate --json | jq '.diagnostics[].message'`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := applySettings(app, c); err != nil {
				return err
			}
			return f.run(app, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.config, "config", "c", "", "arena config `file`")
	fl.StringVar(&f.mockConfig, "mock-config", "", "mock reply `file` to check as well")
	fl.BoolVar(&f.asJSON, "json", false, "print the problems as JSON")
	fl.BoolVar(&f.strict, "strict", false, "warnings are errors")
	fl.BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings")
	fl.StringVar(&f.color, "color", "auto", "`when` to colour the output: auto, always or never")
	return cmd
}

func (f *validateFlags) run(app *App, paths []string) error {
	if err := oneOf("color", []string{f.color}, "auto", "always", "never"); err != nil {
		return err
	}
	suite, diags := checks.Load(scenario.Options{
		Paths: paths, Config: f.config, MockConfig: f.mockConfig, Lenient: f.lenient, Getenv: app.Getenv,
	})
	app.learnSecrets(suite, diags)
	app.remarks(suite.Notes)
	unreadSettings(suite, diags)
	runner.ReportQuarantines(suite, app.Now(), app.today(), diags)
	for _, p := range suite.Projects {
		for _, s := range p.Scenarios {
			preflight.Idle(p, s, f.strict, diags)
		}
		runner.ReportGenericReplies(p, diags)
		names.OpenToolUses(p, p.Scenarios, diags)
		names.Report(p, p.Scenarios, f.lenient, diags)
		preflight.Guardrails(p, p.Scenarios, diags)
		preflight.IdleGates(p, p.Scenarios, diags)
		preflight.LastReplyAlone(p, p.Scenarios, diags)
		preflight.UncheckedSchemas(p, p.Scenarios, diags)
		runner.ReportJudges(p, p.Scenarios, diags)
		if !f.lenient {
			preflight.NotUsed(p, "", diags)
		}
		runner.ReportAgents(p, p.Scenarios, diags)
		runner.ForeseeMedia(p, p.Scenarios, harness.OpenUnsent, runner.PlanOptions{Lenient: f.lenient}, diags)
		preflight.ForeseeOutside(p, p.Scenarios, diags)
		for _, later := range p.Later {
			diags.Warnf(later.Pos, 1, diag.NotAvailable, "%s: this version of arena cannot run that yet", later.Name).
				Hint = later.Instead
		}
	}
	if diags.Errors() == 0 {
		runner.Foresee(suite, foreseen(app, f.strict, f.lenient), diags)
	}
	if f.strict {
		diags.Promote()
	}
	if f.asJSON {
		if err := diag.WriteJSON(screen.Data(app.Out), diags.Sorted(), suite.Files); err != nil {
			return broken(err)
		}
	} else {
		app.showDiags(app.Out, diags.Sorted(), suite.Files, app.useColor(f.color, app.OutTTY), "")
		if diags.Errors() == 0 {
			if err := app.annotateFiles(app.Out, diags.Sorted()); err != nil {
				return broken(err)
			}
			if err := f.summary(app, suite); err != nil {
				return broken(err)
			}
		}
	}
	if diags.Errors() > 0 {
		return exit(result.ExitUsage)
	}
	return nil
}

// foreseen are options for a plan that is not run.
func foreseen(app *App, strict, lenient bool) runner.PlanOptions {
	return runner.PlanOptions{
		Strict: strict, Lenient: lenient, Open: openForeseen, OpenEmbedder: harness.NoEmbedder,
		Now: app.Now, Today: app.today,
	}
}

// openForeseen opens providers for a plan that is not run here: a key that only calls need may be set where the plan
// runs.
func openForeseen(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	client, simulated, err := harness.OpenUnsent(p, spec)
	if _, unset := errors.AsType[*providers.Unfilled](err); unset {
		return harness.NoModel(p, spec)
	}
	return client, simulated, err
}

func (f *validateFlags) summary(app *App, suite *scenario.Suite) error {
	scenarios, providers, judges, tools := 0, 0, 0, 0
	for _, p := range suite.Projects {
		scenarios += len(p.Scenarios)
		providers += len(p.Providers)
		judges += len(p.Judges)
		tools += len(p.Tools)
	}
	what := []string{plural.Count(scenarios, "scenario"), plural.Count(providers, "provider")}
	if judges > 0 {
		what = append(what, plural.Count(judges, "judge"))
	}
	what = append(what, plural.Count(tools, "tool"))
	_, err := fmt.Fprintf(app.Out, "%s: %s; no errors\n", plural.Count(suite.Files, "file"), strings.Join(what, ", "))
	return err
}
