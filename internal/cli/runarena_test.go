package cli_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/cli"
)

// arena runs a command line in this process, with PATH as its only variable. The text is what it prints to both outputs.
func arena(t testing.TB, args ...string) (code int, text string) {
	t.Helper()
	return arenaWith(t, map[string]string{"PATH": os.Getenv("PATH")}, args)
}

// arenaWith is arena with other variables.
func arenaWith(t testing.TB, env map[string]string, args []string) (code int, text string) {
	t.Helper()
	var out bytes.Buffer
	code = cli.Main(&cli.App{
		Args: args, Out: &out, Err: &out, Env: env, Now: time.Now, Width: func() int { return 200 },
		Exit:       func(code int) { t.Errorf("ended with %d", code) },
		Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
	})
	return code, out.String()
}
