package cli_test

import (
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/arena-evals/arena/internal/cli"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/report/otlptest"
	"github.com/arena-evals/arena/internal/tools/mcptest"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script; read the diff")

// TestMain makes the test binary other programs: called arena, it is arena, called mcp-probe an MCP server.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"arena": func() {
			for _, name := range testVariables {
				_ = os.Unsetenv(name) // arena refuses what begins as settings do and is none
			}
			app := cli.System()
			app.Today = nil // scripts are of any day
			os.Exit(cli.Main(app))
		},
		"mcp-probe": func() { mcptest.Serve(os.Args[1]) },
	})
}

// testVariables are variables that say how tests are run.
var testVariables = []string{
	"ARENA_AXE", "ARENA_BIG_RECORDING", "ARENA_BROWSER", "ARENA_CORPUS", "ARENA_PROMISE", "ARENA_SHARED", "ARENA_SHOTS", "ARENA_SOAK",
	"ARENA_STATISTICS", "ARENA_SUITES", "ARENA_TORTURE",
}

// epoch stands in for the time in scripts, so that nothing that they compare depends on it.
const epoch = "1700000000"

// TestScripts runs testdata/script/*.txtar: each is one behaviour, with its files, its commands and what they print.
// The commands beside testscript's own are in commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGHUP) { // as under nohup; whoever handles a signal hands on its default
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	params := testscript.Params{
		Cmds: commands(), UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			env.Setenv("SOURCE_DATE_EPOCH", epoch)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else every command takes a second more
			env.Values[stubKey{}] = &stub{}
			env.Values[brokerKey{}] = &broker{}
			env.Values[evaluatorsKey{}] = &evaluators{}
			env.Values[gatewayKey{}] = new(*gateway)
			env.Values[collectorKey{}] = new(*otlptest.Collector)
			return nil
		},
	}
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			one := params
			one.Files, one.Deadline = []string{file}, time.Now().Add(hang.Guard)
			testscript.RunT(script{t}, one)
		})
	}
}

// script runs one file as the test that it is given, so that its time begins when it does, however many wait.
type script struct{ *testing.T }

func (s script) Run(_ string, f func(testscript.T)) { f(s) }

func (s script) Parallel() {} // it is already

func (s script) Verbose() bool { return testing.Verbose() }
