package cli_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/arena-evals/arena/internal/cli"
	"github.com/arena-evals/arena/internal/report/otlptest"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script; read the diff")

// TestMain makes the test binary a second program: called arena, it is arena.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"arena": func() { os.Exit(cli.Main(cli.System())) }})
}

// epoch stands in for the time in scripts, so that nothing that they compare depends on it.
const epoch = "1700000000"

// TestScripts runs testdata/script/*.txtar: each is one behaviour, with its files, its commands and what they print.
// The commands beside testscript's own are in commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", Cmds: commands(), UpdateScripts: *update,
		RequireExplicitExec: true, RequireUniqueNames: true, Deadline: time.Now().Add(2 * time.Minute),
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
	})
}
