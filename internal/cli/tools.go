package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

func newToolsCmd(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Work with the tools of a project",
		Args:  unknownCommand,
		RunE:  needsCommand,
	}
	cmd.AddCommand(newToolsCallCmd(app))
	return cmd
}

const toolsCallLong = `Call calls one tool of the project, as a model would, and prints its result: one that is
simulated in a file, a program, an endpoint, a tool of a server. Nothing else is called.

The arguments are a JSON object, @FILE for one in a file, or - for one on stdin; without them the
tool gets none. They are held against the schema of the tool.

Exit status: 0 the tool answered · 1 its result is an error · 2 there is no such tool, or it does
not take these arguments · 3 its server cannot be asked.`

// toolsCallFlags is the command line of `arena tools call`.
type toolsCallFlags struct {
	config  string
	lenient bool
	verbose bool
	format  formatFlags
}

func newToolsCallCmd(app *App) *cobra.Command {
	f := &toolsCallFlags{}
	cmd := &cobra.Command{
		Use:   "call tool [arguments|@file|-]",
		Short: "Call one tool and print its result",
		Long:  toolsCallLong,
		Example: `  arena tools call get_order '{"order_id": "A-1001"}'
  arena tools call get_order @order.json --json
  echo '{"order_id": "A-1001"}' | arena tools call get_order -`,
		Args: takes(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := errors.Join(applySettings(app, c), f.format.validate()); err != nil {
				return err
			}
			text := "{}"
			if len(args) == 2 {
				text = args[1]
			}
			return f.run(c.Context(), app, args[0], text)
		},
	}
	cmd.Flags().StringVarP(&f.config, "config", "c", "", "arena config `file` (default: config.arena.yaml)")
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "also what the program of the tool or server writes to stderr")
	f.format.register(cmd.Flags())
	return cmd
}

func (f *toolsCallFlags) run(ctx context.Context, app *App, name, text string) error {
	args, err := app.arguments(text)
	if err != nil {
		return err
	}
	suite, diags := checks.Load(scenario.Options{Config: f.config, Lenient: f.lenient, Getenv: app.Getenv})
	app.learnSecrets(suite, diags)
	if diags.Errors() > 0 {
		app.showErrors(diags, suite.Files)
		return exit(result.ExitUsage)
	}
	ctx, interrupted := app.interruptible(ctx, runner.Stop(), func() { app.remark("stopping") })
	err = f.call(ctx, app, suite, name, args)
	if interrupted() {
		return exit(result.ExitInterrupted)
	}
	return err
}

// call finds the tool and calls it.
func (f *toolsCallFlags) call(
	ctx context.Context, app *App, suite *scenario.Suite, name string, args map[string]any,
) error {
	var heard func(who, line string)
	if f.verbose {
		heard = func(who, line string) { _, _ = fmt.Fprintln(app.Err, term.ToolStderr(who, line)) }
	}
	bench, name, err := benchWith(ctx, app, suite, name, heard)
	if err != nil {
		return err
	}
	defer bench.Close()
	var problems diag.List
	bench.Preflight(name, &problems)
	if problems.Errors() > 0 {
		app.showErrors(&problems, suite.Files)
		return exit(result.ExitUsage)
	}
	if err := bench.Takes(name, args); err != nil {
		return fmt.Errorf("%s does not take these arguments: %w\nits schema is %s", name, err, bench.Schema(name))
	}
	began := app.Now()
	res := bench.Call(ctx, name, args)
	took := app.Now().Sub(began)
	if err := f.print(app, args, &res, took); err != nil {
		return err
	}
	if res.Error != "" {
		return exit(result.ExitFailed)
	}
	return nil
}

// benchWith opens the tools of the project that declares the tool, and returns the name of the tool there.
func benchWith(
	ctx context.Context, app *App, suite *scenario.Suite, name string, heard func(who, line string),
) (_ *runner.Workbench, id string, _ error) {
	if why := runner.OnlyInConversation(name); why != "" {
		return nil, "", fmt.Errorf("%s cannot be called by itself: %s\n"+
			"`arena prompt` shows what a model is told of it", name, why)
	}
	var known []string
	for _, p := range suite.Projects {
		id := name
		for _, t := range p.Tools {
			if t.Is(name) {
				id = t.ID
			}
		}
		bench, err := runner.NewWorkbench(p, heard)
		if err != nil {
			return nil, "", err
		}
		found, names, err := bench.Find(ctx, id)
		switch {
		case err != nil:
			bench.Close()
			return nil, "", broken(err)
		case found:
			return bench, id, nil
		}
		bench.Close()
		known = append(known, names...)
	}
	return nil, "", unknownTool(suite, name, known)
}

func unknownTool(suite *scenario.Suite, name string, known []string) error {
	for _, p := range suite.Projects {
		for _, t := range p.Tools {
			if t.Is(name) {
				return fmt.Errorf("this version of arena cannot run tools of mode %s yet", t.Mode)
			}
		}
	}
	err := fmt.Errorf("there is no tool %q", name)
	if near := diag.Nearest(name, known); near != "" {
		return fmt.Errorf("%w\ndid you mean %q?", err, near)
	}
	for _, p := range suite.Projects {
		if why, hint := p.NotServed(name); strings.HasPrefix(name, scenario.ServerPrefix) && why != "" && len(p.Servers) > 0 {
			return fmt.Errorf("%s\n%s", why, hint)
		}
	}
	slices.Sort(known)
	if known = slices.Compact(known); len(known) > 0 {
		return fmt.Errorf("%w\nknown: %s", err, strings.Join(known, ", "))
	}
	return fmt.Errorf("%w\nthe project has none: list their files under tools in the arena config", err)
}

// arguments reads the arguments of a tool: from the command line, a file, or stdin.
const jsonArgumentsHint = `names and texts of JSON stand in double quotes: '{"order_id": "A-1001"}'`

func (a *App) arguments(text string) (map[string]any, error) {
	from := "the arguments"
	switch file, named := strings.CutPrefix(text, "@"); {
	case named:
		data, err := plainfile.Read(file)
		if err != nil {
			return nil, err
		}
		text, from = string(chat.WithoutBOM(data)), file
	case text == "-" && a.In == nil:
		text = ""
	case text == "-":
		data, err := io.ReadAll(a.In)
		if err != nil {
			return nil, fmt.Errorf("stdin: %w", err)
		}
		text, from = string(chat.WithoutBOM(data)), "stdin"
	}
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%s: expected a JSON object, found nothing", from)
	}
	value, err := chat.DecodeJSON([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s: expected a JSON object: %w\n%s", from, err, jsonArgumentsHint)
	}
	args, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: expected a JSON object, found %s\n%s", from, strings.TrimSpace(text), jsonArgumentsHint)
	}
	if key, found := jsonvalue.KeyTwice([]byte(text)); found {
		return nil, fmt.Errorf("%s: %q is given twice", from, key)
	}
	return args, nil
}

// calledTool is what `arena tools call --json` prints.
type calledTool struct {
	Tool       string         `json:"tool"`
	Arguments  map[string]any `json:"arguments"`
	Result     string         `json:"result"`
	Value      any            `json:"value,omitempty"` // the parsed result, if it is JSON
	Parts      []chat.Part    `json:"parts,omitempty"`
	Error      string         `json:"error,omitempty"`
	ErrorType  string         `json:"error_type,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	Notice     string         `json:"notice,omitempty"`
	DurationMS float64        `json:"duration_ms"`
}

// print writes the result to stdout, and remarks to stderr.
func (f *toolsCallFlags) print(app *App, args map[string]any, res *chat.ToolResult, took time.Duration) error {
	if f.format.json() {
		called := calledTool{
			Tool: res.Name, Arguments: args, Result: res.Content, Parts: res.Parts, Error: res.Error, ErrorType: res.ErrorType,
			Metadata: res.Metadata, Notice: res.Notice, DurationMS: float64(took.Microseconds()) / 1000,
		}
		if value, err := chat.DecodeJSON([]byte(res.Content)); err == nil {
			called.Value = value
		}
		return writeJSON(app, called)
	}
	if res.Notice != "" {
		app.remark("%s", res.Notice)
	}
	if res.Error != "" {
		app.printMessage(fmt.Sprintf("%s failed after %s (%s): %s", res.Name, show.Seconds(milliseconds(took)), res.ErrorType,
			res.Error))
		return nil
	}
	if err := printResult(app.Out, res); err != nil {
		return broken(err)
	}
	app.remark("%s answered in %s", res.Name, show.Seconds(milliseconds(took)))
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// printResult writes the text of a result, and describes its media.
func printResult(w io.Writer, res *chat.ToolResult) error {
	if len(res.Parts) == 0 {
		_, err := fmt.Fprintln(w, res.Content)
		return err
	}
	for _, p := range res.Parts {
		text := p.Text
		if p.Media != nil {
			text = "[" + mediaNote(p.Type, p.Media) + "]"
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

func mediaNote(kind string, m *chat.Media) string {
	note := strings.TrimSpace(kind + " " + m.MIMEType)
	switch {
	case m.Data != "":
		return note + ", " + plural.Count(base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(m.Data, "="))), "byte")
	case m.SHA256 != "":
		return note + ", " + plural.Count(m.Size, "byte")
	case m.URL != "":
		return note + ", " + m.URL
	case m.Path != "":
		return note + ", " + m.Path
	}
	return note
}
