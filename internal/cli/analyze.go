package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/analysis"
	"github.com/arena-evals/arena/internal/report/term"
)

const analyzeLong = `Analyze says how the trials of one or more runs are spread, and which of them stand out. It
reads the folders of the runs, their journals or their results.json, and runs nothing:

  cost and time of the trials of each scenario with each provider: median, quartiles, extremes;
  outliers: trials that lie more than 1.5 times the distance of the quartiles beyond the nearer one,
  in groups of at least five, and differ from the median by a fifth (and 50 ms);
  repeated calls: the same tool with the same arguments, several times in one conversation;
  the longest conversations, by calls of the model;
  flaky rows and trials: those that ask for the same, of which some passed and some did not.

Trials that were skipped, stopped or broke are left out of the spreads. Costs are those of the agent,
without its judges. Of several runs all trials are taken together.

Its exit status is 0, whatever stands out.`

type analyzeFlags struct {
	format  string
	color   string
	verbose bool
}

func newAnalyzeCmd(app *App) *cobra.Command {
	f := &analyzeFlags{}
	cmd := &cobra.Command{
		Use:   "analyze RUN...",
		Short: "Tell how trials are spread, and which stand out",
		Long:  analyzeLong,
		Example: `  arena analyze out
  arena analyze out-monday out-tuesday out-wednesday
  arena analyze out --format json`,
		Args: takes(1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := applySettings(app, c); err != nil {
				return err
			}
			return f.run(app, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "`format` of the output: text or json")
	fl.Lookup("format").Annotations = map[string][]string{notASetting: {"it is about all runs"}}
	fl.StringVar(&f.color, "color", "auto", "`when` to colour the output: auto, always or never")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "list all groups, and more of what stands out")
	fl.Lookup("verbose").Annotations = map[string][]string{notASetting: {"it is about all runs"}}
	return cmd
}

func (f *analyzeFlags) run(app *App, paths []string) error {
	err := errors.Join(
		oneOf("format", []string{f.format}, "text", "json"),
		oneOf("color", []string{f.color}, "auto", "always", "never"),
	)
	if err != nil {
		return err
	}
	var inputs []analysis.Input
	seen := map[string]string{}
	for _, path := range paths {
		run, file, done, err := openRun(app, path)
		if err != nil {
			return err
		}
		defer done()
		for other, name := range seen {
			if sameFile(other, file) {
				return fmt.Errorf("%s and %s are the same run", name, path)
			}
		}
		seen[file] = path
		app.remarkPart(path, run)
		inputs = append(inputs, analysis.Input{Name: path, Run: run})
	}
	report, err := analysis.Analyze(inputs...)
	if err != nil {
		return err
	}
	if f.format == "json" {
		return writeJSON(app, report)
	}
	color := app.useColor(f.color, app.OutTTY)
	o := term.Options{Out: painted(app.Out, color), Color: color, Now: app.Now, Width: app.Width}
	if f.verbose {
		o.Verbosity = 1
	}
	return ifBroken(term.New(o).Analyze(report))
}
