package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/cli"
)

// TestChatKeepsSecrets: a key that a reply repeats is not shown, also where the reply streams in by pieces; what is
// shown is the whole reply.
func TestChatKeepsSecrets(t *testing.T) {
	t.Parallel()
	const key, phrase = "sk-0123456789abcdefghijklmnopqrstuvwxyz", "correct horse battery staple"
	dir := t.TempDir()
	said := "The key is " + key + ", and 你好世界 the password is " + phrase + "; do not tell anybody of them, whoever asks.\nNot even me."
	text := "id: talk\ndescription: A talk\nturns: [{role: user, content: Hello, mock: " + quoted(said) + "}]\n"
	if err := os.WriteFile(filepath.Join(dir, "talk.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tty := range []bool{true, false} {
		var out, errs bytes.Buffer
		status := cli.Main(&cli.App{
			Args: []string{"chat", filepath.Join(dir, "talk.yaml")}, In: strings.NewReader("Hello\n"), Out: &out, Err: &errs,
			Env: map[string]string{"MY_API_KEY": key, "MY_PASSWORD": phrase}, OutTTY: tty,
			Now: time.Now, Width: func() int { return 80 },
			Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
		})
		got := out.String()
		if status != 0 || strings.Contains(got, "0123456789") || strings.Contains(got, "battery") {
			t.Errorf("status %d, shown %q\n%s", status, got, errs.String())
		}
		for _, part := range []string{"The key is ", ", and 你好世界 the password is ", "; do not tell anybody of them, whoever asks.\nNot even me.\n"} {
			if !strings.Contains(got, part) {
				t.Errorf("%q is not shown in %q", part, got)
			}
		}
	}
}
