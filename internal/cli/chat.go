package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

const chatLong = `Chat lets you talk to the agent that a run would test: with its prompt, tools, guardrails, workflow
and memory. Name a scenario, by its id or its file, for the prompt, variables and policies that it
has; without one it is the only prompt of the config, or that of --task-type. Replies stream in;
calls of tools, transitions and guardrails are told as they happen. Chaos is off, and nothing is
judged. The turns that a scenario has are not said: their mock replies answer in their order.

  /tools        what the agent is offered now
  /state        the state of the workflow, skills and memories
  /system       the system prompt that counts now
  /undo         take back the last turn; what tools did outside stays
  /retry        the same, and say it again
  /attach FILE  send an image, a sound, a video or a document along with the next message
  /save FILE    write a scenario: these turns, what was said as mock replies, what the scenario
                sets, and assertions to start from. Its command, which is told, is green at once
  /help         these commands
  /quit         the end, as the end of the input is

A line that begins with // is said with one of them. Ctrl-C ends the reply that is under way, and
takes back what was said. At the prompt it clears the line, and one more ends the chat.

In a pipe each line is a message. Replies are written to stdout, everything else to stderr, and
what goes wrong ends it. What was paid for until then is saved in chat.rescued.yaml, if it is in no
other file and --record keeps nothing.

Exit status: 0 the end; 2 a file, flag or command is wrong; 3 a reply did not come; 130 interrupted.`

// chatFlags is the command line of `arena chat`.
type chatFlags struct {
	runFlags
	taskType  string
	about     string               // id of a scenario; "": none is named
	scenarios []*scenario.Scenario // all scenarios
}

func newChatCmd(app *App) *cobra.Command {
	f := &chatFlags{}
	cmd := &cobra.Command{
		Use:   "chat [scenario|path]",
		Short: "Talk to the agent, and save the talk as a scenario",
		Long:  chatLong,
		Example: `  arena chat
  arena chat refund --provider openai/gpt-4o-mini
  arena chat scenarios/refund.yaml --max-cost 0.10
  printf 'Hello\nWhere is my order?\n' | arena chat --provider mock`,
		Args: takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.given.settings(app, c); err != nil {
				return err
			}
			if err := f.complete(args); err != nil {
				return err
			}
			return f.run(c.Context(), app)
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (f *chatFlags) register(fl *pflag.FlagSet) {
	begin(fl)
	fl.StringVarP(&f.config, "config", "c", "", "arena config `file`\n"+
		"(default: config.arena.yaml, else the scenarios folder)")
	fl.StringSliceVar(&f.providers, "provider", nil, "who answers: a configured `id`, mock, or type/model\n"+
		"such as openai/gpt-4o-mini, ollama/llama3.2")
	fl.StringVar(&f.taskType, "task-type", "", "the prompt with this `name`, where no scenario is named")
	fl.StringSliceVar(&f.regions, "region", nil, "the region `name` that templates see as {{region}}")
	fl.Float64Var(&f.temperature, "temperature", 0, "sampling temperature of every call, a `number` from 0 to 2")
	fl.Int64Var(&f.seed, "seed", 0, "sampling seed, any whole `number`")
	fl.IntVar(&f.maxTokens, "max-tokens", 0, "limit every reply to `n` tokens")
	f.mockFlags.register(fl)
	fl.Float64Var(&f.maxCost, "max-cost", 0, "say nothing more once it might cost more than `n` US dollars in all")
	fl.StringVar(&f.cache, "cache", "", "keep replies of models in this `folder`, and do not pay twice for one")
	fl.StringVar(&f.cassettes.Record, "record", "", "keep what models and tools say in this `folder`")
	fl.BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings: for other tools' files")
}

// complete takes the argument, a file or the id of a scenario, and checks the values.
func (f *chatFlags) complete(args []string) error {
	f.words, f.trials, f.cassettes.Mode, f.cassettes.Missing = []string{"arena", "chat"}, 1, "new", "error"
	if len(args) == 1 {
		if exists(args[0]) {
			f.paths = args
		} else {
			f.about = args[0]
		}
	}
	errs := []error{
		f.overrideFlags.validate(f.given), f.selectionFlags.validate(f.given), f.limitFlags.validate(f.given),
		f.given.notEmpty("task-type", "name a prompt", f.taskType), f.given.notEmpty("cache", "name a folder", f.cache),
		f.given.notEmpty("record", "name a folder", f.cassettes.Record),
		f.given.notEmpty("mock-config", "name a file", f.mockConfig),
	}
	if len(f.regions) > 1 {
		errs = append(errs, errors.New("--region: a chat is in one region"))
	}
	return errors.Join(errs...)
}

func (f *chatFlags) run(ctx context.Context, app *App) error {
	suite, diags := checks.Load(scenario.Options{
		Paths: f.paths, Config: f.config, MockConfig: f.mockConfig, Lenient: f.lenient, Regions: f.regions,
		SkipEvals: true, Bare: f.about == "", KeepWritten: true, Getenv: app.Getenv,
	})
	app.learnSecrets(suite, diags)
	suite.DropChaos()
	unreadSettings(suite, diags)
	var plan *runner.Plan
	if diags.Errors() == 0 {
		about, err := f.subject(suite)
		if err != nil {
			return err
		}
		plan = f.plan(app, about, diags)
		if f.maxCost > 0 && diags.Errors() == 0 {
			const kept, goesOn = true, true // the cost of a message is known only after it
			plan.ReportMaxCost(f.maxCost, f.callParameters(), kept, goesOn, diags)
		}
	}
	told := slices.DeleteFunc(diags.Sorted(), func(d diag.Diagnostic) bool {
		return d.Severity != diag.Error && slices.Contains(runOnlyWarnings, d.Code)
	})
	app.showDiags(app.Err, told, suite.Files, app.useColor("auto", app.ErrTTY), "nothing was said")
	if diags.Errors() > 0 {
		return exit(result.ExitUsage)
	}
	defer plan.Close()
	t, err := theOnly(plan)
	if err != nil {
		return err
	}
	app.remarks(plan.Notes)
	if err := f.keepsReplies(); err != nil {
		return err
	}
	deck := f.cassettes.deck(app, false)
	return harness.WithRecordingLock(deck, func() error {
		talk := &chatTalk{app: app, flags: f, plan: plan, trial: t}
		return talk.run(ctx, runner.ChatOptions{
			Calls: f.callParameters(), Now: app.Now, Cassettes: deck, Again: f.rerecordCommand(), Stream: app.OutTTY,
			Crash: func(trial string, cause any, stack []byte) {
				app.complain(fmt.Errorf("arena crashed in %s: %v\n%s", trial, cause, stack))
			},
		})
	})
}

// runOnlyWarnings are the codes of warnings that matter to runs and not to chats.
var runOnlyWarnings = []string{"no-assertions", "not-used", "unlisted-scenario", "unused-reply"}

// subject returns a suite with only the scenario of the chat, without its checks.
func (f *chatFlags) subject(suite *scenario.Suite) (*scenario.Suite, error) {
	for _, p := range suite.Projects {
		f.scenarios = append(f.scenarios, p.Scenarios...)
	}
	p, found, err := f.findScenario(suite)
	if err != nil {
		return nil, err
	}
	about := scenario.Scenario{Meta: scenario.Meta{ID: "chat", Pos: diag.Pos{File: p.File, Line: 1, Col: 1}}, File: p.File}
	if found != nil {
		about = *found
		if about.Skip != "" {
			return nil, fmt.Errorf("scenario %q is skipped: %s", about.ID, about.Skip)
		}
	} else if about.TaskType, err = f.prompt(p); err != nil {
		return nil, err
	}
	about.Turns = withoutJudging(about.Turns)
	about.Conversation, about.Trials, about.Dataset, about.JudgeGate = nil, nil, nil, nil
	own := *p
	own.Scenarios, own.Evals, own.Globals, own.Open = []*scenario.Scenario{&about}, nil, nil, nil
	own.Defaults.Trials = nil
	one := *suite
	one.Projects = []*scenario.Project{&own}
	return &one, nil
}

// withoutJudging returns turns without checks, and without simulated users. It returns at least one turn, so that there
// is something to plan.
func withoutJudging(turns []scenario.Turn) (list []scenario.Turn) {
	for i := range turns {
		t := &turns[i]
		if t.Role != "user" {
			break
		}
		said := scenario.Turn{Pos: t.Pos, Said: t.Said, Role: t.Role, Literal: true}
		if mock := t.More().Mock; mock != nil {
			said.Rare = &scenario.RareTurn{Mock: mock}
		}
		list = append(list, said)
	}
	if len(list) == 0 {
		list = append(list, scenario.Turn{Role: "user", Literal: true})
	}
	return list
}

// findScenario returns the project and the scenario of the chat; the scenario is nil if the user named none.
func (f *chatFlags) findScenario(suite *scenario.Suite) (*scenario.Project, *scenario.Scenario, error) {
	var known []string
	for _, p := range suite.Projects {
		for _, s := range p.Scenarios {
			if f.about != "" && s.Is(f.about) || len(f.paths) > 0 && sameFile(s.File, f.paths[0]) && s.File != p.File {
				return p, s, nil
			}
			known = append(known, s.ID)
		}
	}
	switch {
	case f.about != "":
		slices.Sort(known)
		hint := "`arena list scenarios` lists them"
		if near := diag.DidYouMean(f.about, known); near != "" {
			hint = near
		}
		return nil, nil, fmt.Errorf("there is no scenario %q, and no file\n%s", f.about, hint)
	case len(suite.Projects) == 1:
		return suite.Projects[0], nil, nil
	case len(suite.Projects) == 0:
		return nil, nil, errors.New("there is nobody to talk to\nname a config, a scenario, or its file")
	}
	return nil, nil, fmt.Errorf("there are %d projects: name one, or a scenario", len(suite.Projects))
}

// prompt returns the task type: that of --task-type, or of the only prompt; "": none, as in a workflow.
func (f *chatFlags) prompt(p *scenario.Project) (string, error) {
	var known []string
	for _, q := range p.Prompts {
		known = append(known, q.TaskType)
	}
	slices.Sort(known)
	switch {
	case f.taskType != "" && !slices.Contains(known, f.taskType):
		return "", fmt.Errorf("--task-type %s: there is no prompt of that name\nknown: %s", shellQuote(f.taskType),
			strings.Join(known, ", "))
	case f.taskType != "":
		return f.taskType, nil
	case len(known) > 1 && p.Workflow == nil:
		return "", fmt.Errorf("there are %d prompts: name a scenario, or one of them with --task-type\nknown: %s",
			len(known), strings.Join(known, ", "))
	case len(known) == 1 && p.Workflow == nil:
		return known[0], nil
	}
	return "", nil
}

func (f *chatFlags) plan(app *App, suite *scenario.Suite, d *diag.List) *runner.Plan {
	f.filter.Skip = true
	f.filter.Apply(suite, d)
	clients := f.clients(app, 1)
	opts := f.planOptions(suite, false)
	opts.Open, opts.OpenEmbedder, opts.Jobs = clients.Open, clients.OpenEmbedder, 1
	plan := runner.Make(suite, opts, d)
	app.learnSecrets(suite, d)
	return plan
}

// theOnly returns the one trial of a plan. It is an error if several providers could answer.
func theOnly(plan *runner.Plan) (*runner.Trial, error) {
	var first *runner.Trial
	var who []string
	for t := range plan.Groups() {
		if first == nil {
			first = t
		}
		who = append(who, t.Endpoint.Spec.ID)
	}
	if len(who) > 1 {
		return nil, fmt.Errorf("%d providers could answer: name one with --provider\nknown: %s", len(who),
			strings.Join(who, ", "))
	}
	return first, nil
}
