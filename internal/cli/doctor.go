package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

const doctorLong = `Doctor looks whether a run can work here: the version, the settings, the files of the project, the
keys of its providers, the folders that are written, and the programs that it starts or may start.
A key is told by the name of its variable, and never shown. Nobody is contacted, and of the
project's programs none is started; with --online the providers are asked whether they answer,
without a key and without a model call, and the MCP servers for their tools.

What is wrong is marked ✗, with what to do. What may be missing without harm is marked -.

Exit status: 0 nothing is wrong · 1 something is · 2 a setting or a flag is.`

type doctorFlags struct {
	config  string
	asJSON  bool
	lenient bool
	online  bool
}

func newDoctorCmd(app *App) *cobra.Command {
	f := &doctorFlags{}
	cmd := &cobra.Command{
		Use:   "doctor [path...]",
		Short: "Look whether a run can work here, and say what is missing",
		Long:  doctorLong,
		Example: `  arena doctor
  arena doctor -c support.arena.yaml --online
  arena doctor --json | jq '.findings[] | select(.status == "wrong")'`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := applySettings(app, c); err != nil {
				return err
			}
			return f.run(c, app, args)
		},
	}
	cmd.Flags().StringVarP(&f.config, "config", "c", "", "arena config `file` (default: config.arena.yaml)")
	cmd.Flags().BoolVar(&f.online, "online", false, "ask providers whether they answer, and start the servers of tools")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print what was found as JSON")
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings")
	return cmd
}

// finding is one result of the doctor.
type finding struct {
	About  string `json:"about"`  // area: arena, settings, project, provider, key, folder, program, network
	Status string `json:"status"` // fine, missing (which may do no harm), wrong
	Text   string `json:"text"`
	Do     string `json:"do,omitempty"` // what helps
}

const (
	foundOK      = "fine"
	foundMissing = "missing"
	foundWrong   = "wrong"
)

// findings are the results of the doctor, in the order of its tests.
type findings []finding

func (l *findings) ok(about, format string, args ...any) {
	*l = append(*l, finding{About: about, Status: foundOK, Text: fmt.Sprintf(format, args...)})
}

func (l *findings) missing(about, format string, args ...any) {
	*l = append(*l, finding{About: about, Status: foundMissing, Text: fmt.Sprintf(format, args...)})
}

func (l *findings) wrong(about, do, format string, args ...any) {
	*l = append(*l, finding{About: about, Status: foundWrong, Text: fmt.Sprintf(format, args...), Do: do})
}

func (l *findings) count(status string) (n int) {
	for _, f := range *l {
		if f.Status == status {
			n++
		}
	}
	return n
}

func (f *doctorFlags) run(c *cobra.Command, app *App, paths []string) error {
	x := &examination{app: app, doctorFlags: f, cmd: c, paths: paths}
	ctx, interrupted := app.interruptible(c.Context(), runner.Stop(), func() { app.remark("stopping") })
	x.examine(ctx)
	if interrupted() {
		return exit(result.ExitInterrupted)
	}
	if err := f.print(app, x.found); err != nil {
		return err
	}
	if x.found.count(foundWrong) > 0 {
		return exit(result.ExitFailed)
	}
	return nil
}

// examine runs all tests, those of arena itself first.
func (x *examination) examine(ctx context.Context) {
	x.arenaItself()
	x.project()
	x.keys()
	x.folders()
	x.programs(ctx)
	x.network(ctx)
}

func (f *doctorFlags) print(app *App, found findings) error {
	wrong := found.count(foundWrong)
	if f.asJSON {
		return writeJSON(app, struct {
			OK       bool     `json:"ok"`
			Findings findings `json:"findings"`
		}{wrong == 0, found})
	}
	paint := painter(app.useColor("auto", app.OutTTY))
	var b strings.Builder
	last := ""
	for _, one := range found {
		about := one.About
		if about == last {
			about = ""
		}
		last = one.About
		sign := map[string]string{
			foundOK: paint("32", "✓"), foundMissing: "-", foundWrong: paint("31", "✗"),
		}[one.Status]
		fmt.Fprintf(&b, "%-10s %s %s\n", about, sign, diag.Safe(one.Text))
		if one.Do != "" {
			fmt.Fprintf(&b, "%-10s   = %s\n", "", diag.Safe(one.Do))
		}
	}
	verdict := "nothing is wrong"
	if wrong > 0 {
		verdict = plural.Of(wrong, "thing is wrong", "things are wrong")
	}
	_, err := fmt.Fprintf(painted(app.Out, app.useColor("auto", app.OutTTY)), "%s\n%s\n", b.String(), verdict)
	return ifBroken(err)
}

// painter returns a function that colours texts, or leaves them unchanged.
func painter(color bool) func(code, text string) string {
	return func(code, text string) string {
		if !color {
			return text
		}
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
}
