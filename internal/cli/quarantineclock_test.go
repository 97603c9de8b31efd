package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/cli"
	"github.com/arena-evals/arena/internal/result"
)

// TestQuarantineEndsByTheDay holds a quarantine to the day that it is: a clock that stands still before its end, as that of
// reproducible builds does, must not keep a failing scenario green for ever.
func TestQuarantineEndsByTheDay(t *testing.T) {
	t.Parallel()
	const text = `id: s
quarantine: {until: 2026-11-01, reason: the service is down}
turns: [{role: user, content: Hi, mock: Hello, assertions: [{type: contains, params: {patterns: [Bye]}}]}]
`
	const works = `id: works
turns: [{role: user, content: Hi, mock: Hello, assertions: [{type: contains, params: {patterns: [Hello]}}]}]
`
	file := filepath.Join(t.TempDir(), "s.scenario.yaml")
	if err := os.WriteFile(file, []byte(text+"---\n"+works), 0o600); err != nil {
		t.Fatal(err)
	}
	commit := time.Date(2026, 10, 30, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		today time.Time
		want  int
		says  string
	}{
		{"within", commit, result.ExitPassed, "1 in quarantine"},
		{"after its end", commit.AddDate(0, 0, 5), result.ExitUsage,
			`the quarantine of the scenario "s" ended on 2026-11-01, and SOURCE_DATE_EPOCH, which is on 2026-10-30`},
	} {
		for _, command := range []string{"run", "validate"} {
			var log bytes.Buffer
			args := []string{command, file, "--provider", "mock", "-o", t.TempDir()}
			if command == "validate" {
				args = []string{command, file}
			}
			code := cli.Main(&cli.App{
				Args: args, Out: &log, Err: &log, Env: map[string]string{}, Width: func() int { return 100 },
				Now: func() time.Time { return commit }, Today: func() time.Time { return c.today },
				Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
				Exit:       func(code int) { t.Errorf("ended with %d", code) },
			})
			if code != c.want || command == "run" && !strings.Contains(log.String(), c.says) {
				t.Errorf("%s, %s: exit status %d, want %d\n%s", c.name, command, code, c.want, log.String())
			}
		}
	}
}
