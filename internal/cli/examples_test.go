package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exampleFolder is a copy of examples, and run runs arena in it.
type exampleFolder struct {
	*testing.T
	dir string
}

func examples(t *testing.T) *exampleFolder {
	t.Helper()
	e := &exampleFolder{t, t.TempDir()}
	if err := os.CopyFS(e.dir, os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	return e
}

func (e *exampleFolder) run(want int, args ...string) string {
	e.Helper()
	cmd := exec.CommandContext(e.Context(), "arena", args...)
	cmd.Dir = e.dir
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+epoch, "GORACE=atexit_sleep_ms=0")
	out, _ := cmd.CombinedOutput() // the status says it
	if got := cmd.ProcessState.ExitCode(); got != want {
		e.Errorf("arena %s ends with status %d, want %d\n%s", strings.Join(args, " "), got, want, out)
	}
	return string(out)
}

func (e *exampleFolder) expect(out string, patterns ...string) {
	e.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile(`(?m)` + p).MatchString(out) {
			e.Errorf("nothing is %s in\n%s", p, out)
		}
	}
}

// TestExamples runs the agents of examples in each language: all of them are green, over a row of the dataset for each
// message, and one whose tool has another name is red, by spans as by lines.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, lang := range []struct{ name, program, agent, missing string }{
		{"python", "python3", "python/agent.py", "pip install opentelemetry-sdk"},
		{"node", "node", "node/agent.mjs", "npm install @opentelemetry/sdk-trace-node"},
	} {
		providers := lang.name + "," + lang.name + "-lines"
		t.Run(lang.name, func(t *testing.T) {
			t.Parallel()
			mustHave(t, lang.program)
			e := examples(t)
			e.expect(e.run(0, "run", "--offline", "--provider", providers), `^41 trials +41 passed +125 checks `)
		})
		t.Run(lang.name+" with a renamed tool", func(t *testing.T) {
			t.Parallel()
			mustHave(t, lang.program)
			e := examples(t)
			file := filepath.Join(e.dir, lang.agent)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			renamed := strings.ReplaceAll(string(text), "find_order", "look_up_order")
			if err := os.WriteFile(file, []byte(renamed), 0o600); err != nil {
				t.Fatal(err)
			}
			e.expect(e.run(1, "run", "--offline", "--provider", providers, "--rows", "lost-refund", "--scenario", "orders"),
				`^2 trials +2 failed `, `missing: find_order`, `not expected: look_up_order`)
		})
		t.Run(lang.name+" through OpenTelemetry", func(t *testing.T) {
			t.Parallel()
			mustHave(t, lang.program)
			e := examples(t)
			args := []string{"run", "-c", "otel.arena.yaml", "--provider", lang.name + "-otel", "--rows", "lost-refund"}
			program := filepath.Dir(lang.agent) + "/otel" + filepath.Ext(lang.agent)
			cmd := exec.CommandContext(t.Context(), lang.program, program, "Hello")
			cmd.Dir, cmd.Env = e.dir, append(os.Environ(), "OTEL_SDK_DISABLED=true")
			if said, err := cmd.CombinedOutput(); err != nil { // the packages are not installed: that is what it must say
				e.expect(string(said), lang.missing)
				e.expect(e.run(3, args...), lang.missing)
				return
			}
			e.expect(e.run(0, args...), `^1 trial +1 passed `)
		})
	}
}

// TestExamplesAreInTheGuide: the programs in the guide are those of examples, to the letter.
func TestExamplesAreInTheGuide(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guide/14-own-program.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, pattern := range []string{"python/*.py", "node/*.mjs"} {
		files, err := filepath.Glob("../../examples/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			programs++
			name := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file)
			if !strings.Contains(string(page), " "+name+"\n"+string(text)+"```\n") {
				t.Errorf("the guide does not have %s as it is in examples", name)
			}
		}
	}
	if programs != 6 {
		t.Errorf("%d programs", programs)
	}
}
