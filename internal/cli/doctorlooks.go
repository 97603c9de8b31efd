package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// examination is one run of the doctor.
type examination struct {
	*doctorFlags
	app   *App
	cmd   *cobra.Command
	paths []string
	suite *scenario.Suite // nil: nothing could be read
	found findings
}

// arenaItself tests arena and its settings.
func (x *examination) arenaItself() {
	x.found.ok("arena", "%s %s %s/%s", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if exists(settingsFile) {
		x.found.ok("settings", "%s is read", settingsFile)
	} else {
		x.found.missing("settings", "no %s here, which can stand in for flags", settingsFile)
	}
	var names []string
	for _, flag := range flagNames(x.cmd.Root()) {
		if name := variable(flag); x.app.Env[name] != "" {
			names = append(names, name)
		}
	}
	if slices.Sort(names); len(names) > 0 {
		x.found.ok("settings", "set by variables: %s", strings.Join(slices.Compact(names), ", "))
	}
}

// project reads the files as a run would, and tests what they need: keys, programs, folders.
func (x *examination) project() {
	suite, diags := checks.Load(scenario.Options{
		Paths: x.paths, Config: x.config, Lenient: x.lenient, Getenv: x.app.Getenv,
	})
	x.app.learnSecrets(suite, diags)
	if diags.Errors() > 0 {
		x.unreadable(diags)
		return
	}
	x.suite = suite
	var planned diag.List
	runner.Foresee(suite, foreseen(x.app, false, x.lenient), &planned)
	x.unreadable(&planned)
	for _, p := range suite.Projects {
		x.found.ok("project", "%s: %s, %s, %s, %s", cmp.Or(p.File, "the files"),
			plural.Count(len(p.Scenarios), "scenario"), plural.Count(len(p.Providers), "provider"),
			plural.Count(len(p.Judges), "judge"), plural.Count(len(p.Tools), "tool"))
		var outside diag.List
		without := map[string]bool{} // files of providers without their program
		preflight.ForeseeOutside(p, p.Scenarios, &outside)
		for _, d := range outside.Sorted() {
			without[d.Pos.File] = true
			x.found.wrong("project", cmp.Or(d.Hint, "install it, or mend what the file names"), "%s: %s", d.Pos, d.Msg)
		}
		for _, spec := range p.Providers {
			if !scenario.ProviderTypeOf(spec.Type).Agent || !without[spec.Pos.File] {
				x.provider(p, spec)
			}
		}
	}
}

// mostMistakes is the highest number of mistakes in files that are shown; `arena validate` shows all.
const mostMistakes = 10

// unreadable reports why the files cannot be read or run.
func (x *examination) unreadable(diags *diag.List) {
	told := 0
	for _, d := range diags.Sorted() {
		switch {
		case d.Severity != diag.Error:
			continue
		case told == mostMistakes:
			x.found.wrong("project", "`arena validate` shows all of them", "and %s more",
				plural.Count(diags.Errors()-told, "problem"))
			return
		case d.Pos.File == "":
			x.found.wrong("project", d.Hint, "%s", d.Msg)
		default:
			x.found.wrong("project", cmp.Or(d.Hint, "`arena validate` shows the place"), "%s: %s", d.Pos, d.Msg)
		}
		told++
	}
}

// provider opens a provider as a run would, without a call.
func (x *examination) provider(p *scenario.Project, spec *scenario.Provider) {
	clients := &harness.Clients{Jobs: 1, Now: x.app.Now, NoTraces: true}
	client, _, err := clients.Open(p, spec)
	if err != nil {
		x.found.wrong("provider", "", "%s", messageOf(spec, err))
		return
	}
	_ = providers.Close(client) // it has no connections
	what := "can be asked"
	if open.Simulated(spec.Type) {
		what = "answers by itself"
	}
	x.found.ok("provider", "%s (%s) %s", spec.ID, strings.TrimSpace(spec.Type+" "+spec.Model), what)
}

// messageOf is the message of an error, with the name of the provider in front.
func messageOf(spec *scenario.Provider, err error) string {
	if msg := err.Error(); strings.Contains(msg, spec.ID) {
		return msg
	}
	return spec.ID + ": " + err.Error()
}

// keyVariables are the variables that usually hold the keys of vendors.
var keyVariables = []string{
	"ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY",
}

// keys reports which variables hold keys. A variable that a file names and that is not set was reported with its
// provider.
func (x *examination) keys() {
	names := map[string]bool{}
	for _, name := range keyVariables {
		names[name] = true
	}
	getenv := x.app.Getenv
	if x.suite != nil {
		for _, p := range x.suite.Projects {
			if p.Getenv != nil { // it knows of .env
				getenv = p.Getenv
			}
			for _, spec := range p.Providers {
				if spec.KeyEnv != "" {
					names[spec.KeyEnv] = true
				}
			}
		}
	}
	var unset []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch value, _ := getenv(name); {
		case strings.TrimSpace(value) != "":
			x.found.ok("key", "%s is set", name)
		default:
			unset = append(unset, name)
		}
	}
	if len(unset) > 0 {
		x.found.missing("key", "not set: %s", strings.Join(unset, ", "))
	}
}

// folders tests whether the folders of a run can be written.
func (x *examination) folders() {
	out, err := x.app.resultsFolder(x.cmd)
	if out == harness.DefaultOut { // no setting names another
		out = cmp.Or(scenario.OutputDir(scenario.Options{
			Paths: x.paths, Config: x.config, Getenv: x.app.Getenv,
		}), out)
	}
	if err != nil {
		x.found.wrong("folder", "", "%v", err)
	} else {
		x.folder(out, "results")
	}
	x.folder(os.TempDir(), "what is needed for a moment")
}

// folder tests a folder, or, if it does not exist, the folder in which it would be made.
func (x *examination) folder(dir, what string) {
	at := dir
	for {
		_, err := os.Stat(at)
		if parent := filepath.Dir(at); errors.Is(err, fs.ErrNotExist) && parent != at {
			at = parent
			continue
		}
		break
	}
	if err := harness.WritableDir(at); err != nil {
		x.found.wrong("folder", "give yourself the right to write there, or name another folder",
			"%s, for %s: %v", dir, what, err)
		return
	}
	x.found.ok("folder", "%s can be written, for %s", dir, what)
}

// optional are programs that projects often use, with their purpose.
var optional = []struct{ name, other, use string }{
	{"docker", "", "servers of tools in containers"}, {"npx", "", "servers of tools from npm"},
	{"node", "", "agents, tools and checks in JavaScript"}, {"python3", "python", "agents, tools and checks in Python"},
}

// programs looks for programs, and asks those that it finds for their version.
func (x *examination) programs(ctx context.Context) {
	env, _ := process.Environment(x.app.Getenv, nil) // no keys
	for _, p := range optional {
		file, err := process.Look("", p.name)
		if err != nil && p.other != "" {
			file, err = process.Look("", p.other)
		}
		if err != nil {
			x.found.missing("program", "%s is not found; it is needed for %s", p.name, p.use)
			continue
		}
		asked, cancel := context.WithTimeout(ctx, versionTime)
		out, err := (&process.Command{Path: file, Args: []string{"--version"}, Env: env, MaxStdout: 1 << 16}).Run(asked)
		cancel()
		said, _, _ := strings.Cut(strings.TrimSpace(string(out.Stdout)+string(out.Stderr)), "\n")
		if err != nil {
			x.found.missing("program", "%s is there and does not say its version: %s --version: %v", p.name, file, err)
			continue
		}
		x.found.ok("program", "%s: %s", p.name, ellipsis.Runes(said, 80))
	}
}

// versionTime is how long a program may take to say its version.
const versionTime = 10 * time.Second
