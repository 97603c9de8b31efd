package arenatest_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/arena-evals/arena"
	"github.com/arena-evals/arena/arenatest"
)

var update = flag.Bool("update", false, "write what go test prints into testdata; read the diff")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inner is set in the process that runs the tests which TestOutput looks at; most of them fail on purpose.
const inner = "ARENATEST_INNER"

// only skips a test that is not run by TestOutput.
func only(t *testing.T) {
	t.Helper()
	if os.Getenv(inner) == "" {
		t.Skip("is run by TestOutput")
	}
}

func TestInner(t *testing.T) {
	only(t)
	for _, name := range []string{"passes", "fails", "skips", "tolerated", "breaks", "broken", "empty", "missing", "idle", "red/red.arena", "rates/rates.arena"} {
		t.Run(name, func(t *testing.T) { arenatest.Run(t, "testdata/"+name+".yaml", arenatest.Checks(checks(t))) })
	}
}

func checks(t *testing.T) *arena.Registry {
	t.Helper()
	r := &arena.Registry{}
	info := arena.CheckInfo{Name: "panics", Summary: "It panics."}
	err := arena.Register(r, info, func(struct{}) (arena.Check, error) {
		return arena.CheckFunc(func(context.Context, *arena.Subject) (arena.Finding, error) { panic("boom") }), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	type number struct {
		Number int `param:"number,required"`
	}
	info = arena.CheckInfo{Name: "numbered", Summary: "The trial has a number."}
	err = arena.Register(r, info, func(p number) (arena.Check, error) {
		return arena.CheckFunc(func(_ context.Context, s *arena.Subject) (arena.Finding, error) {
			if strings.HasSuffix(s.Session, fmt.Sprintf("#%d", p.Number)) {
				return arena.Pass("it has"), nil
			}
			return arena.Finding{Explanation: "another trial"}, nil
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	type params struct {
		Word string `param:"word,required"`
	}
	info = arena.CheckInfo{Name: "wants", Summary: "The user wants something."}
	err = arena.Register(r, info, func(p params) (arena.Check, error) {
		return arena.CheckFunc(func(_ context.Context, s *arena.Subject) (arena.Finding, error) {
			if strings.Contains(s.Messages[s.Start].Text, p.Word) {
				return arena.Pass("it is wanted"), nil
			}
			return arena.Finding{
				Explanation: "something else is wanted",
				Details:     map[string]any{"expected": p.Word, "got": s.Messages[s.Start].Text},
			}, nil
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOutput compares what go test says of tests that pass, skip, fail and break.
func TestOutput(t *testing.T) {
	t.Parallel()
	for file, run := range map[string]string{
		"all.txt":    "^TestInner$",
		"filter.txt": "^TestInner$/fails/refund-late/mock",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run", run)
			cmd.Env = append(os.Environ(), inner+"=1", "GORACE=atexit_sleep_ms=0")
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Error("it passed")
			}
			got := plain(string(out))
			golden := filepath.Join("testdata", "golden", file)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// varying is what differs from run to run, or with every change of the code: times, the places of a panic, and how much
// of the code ran where go test -cover measures that.
var varying = regexp.MustCompile(`(?m)^coverage: .*\n| \(\d+\.\d+s\)| \(\w+\.go:\d+( < .*)?\)|\w+\.go:\d+: `)

func plain(text string) string {
	text = varying.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "")
	return strings.NewReplacer(`testdata\\`, "testdata/", `testdata\`, "testdata/").Replace(text)
}

func TestOptions(t *testing.T) {
	t.Parallel()
	var o arena.Options
	for _, opt := range []arenatest.Option{
		arenatest.Mock(), arenatest.Provider("a"), arenatest.Provider("b"), arenatest.Scenario("s"),
		arenatest.Temperature(0), arenatest.Judge("j", nil), arenatest.Out("out"), arenatest.Hooks(nil),
	} {
		opt(&o)
	}
	if !o.Mock || len(o.Providers) != 2 || len(o.Scenarios) != 1 || *o.Temperature != 0 || len(o.Judges) != 1 ||
		o.Out != "out" || len(o.Hooks) != 1 {
		t.Errorf("%+v", o)
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	res := arenatest.Run(t, "testdata/passes.yaml", arenatest.Provider("mock"))
	if res == nil || res.ExitCode != 0 || len(res.Trials) != 2 {
		t.Errorf("%+v", res)
	}
}
