package process

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
	text := &tail{limit: 4}
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
