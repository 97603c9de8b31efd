package process

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// TestMain makes the test binary two programs more: a watchdog, and one that runs a program and is to be ended itself.
func TestMain(m *testing.M) {
	Guard()
	if text := os.Getenv(runsScript); text != "" {
		os.Exit(runForEver(text))
	}
	goleak.VerifyTestMain(m)
}

// runsScript names, in the environment of a child process, the script that it runs.
const runsScript = "PROCESS_TEST_RUNS"

// actsAtEnd names the script that is left to be run at its end.
const actsAtEnd = "PROCESS_TEST_ACTS"

// runForEver runs a script without an end, and ends when its input does, without a word to the script.
func runForEver(text string) int {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	env, _ := Environment(os.LookupEnv, nil)
	if act := os.Getenv(actsAtEnd); act != "" {
		AtEnd(&Command{Path: "/bin/sh", Args: []string{"-c", act}, Env: env})
	}
	_, _ = (&Command{Path: "/bin/sh", Args: []string{"-c", text}, Env: env}).Run(context.Background())
	return 1
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	vars := map[string]string{
		"PATH": "/bin", "HOME": "/home/ada", "LANG": "C", "OPENAI_API_KEY": "sk-1", "REGION": "eu", "AWS_SECRET": "x",
	}
	getenv := func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
	env, missing := Environment(getenv, []string{"REGION", "MODE=a=b", "NOWHERE", "LANG=de_DE", "EMPTY="})
	want := []string{"PATH=/bin", "HOME=/home/ada", "REGION=eu", "MODE=a=b", "LANG=de_DE", "EMPTY="}
	if diff := cmp.Diff(want, env); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"NOWHERE"}, missing); diff != "" {
		t.Error(diff)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	text := &tailBuffer{limit: 4}
	for _, part := range []string{"ab", "cdefghij", "k", "", "lm", "n"} {
		if n, err := text.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%q: %d, %v", part, n, err)
		}
	}
	if got := string(text.bytes()); got != "klmn" {
		t.Errorf("kept %q", got)
	}
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	_, err := (&Command{Path: "no-program-has-this-name"}).Run(t.Context())
	if want := "cannot be started: executable file not found in $PATH"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	late := errors.New("too late")
	cancel(late)
	if _, err := (&Command{Path: "sh"}).Run(ctx); !errors.Is(err, late) {
		t.Errorf("after the end: %v", err)
	}
}
