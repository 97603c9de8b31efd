package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/report/show"
)

// TestShellQuote: what stands on the screen is a word that a shell reads back as it was.
func TestShellQuote(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	for _, w := range []string{
		"", "plain", "two words", "it's", `back\slash`, "$HOME `id` \"x\"", "grüße ✔", "two  spaces", " before", "a\tb\nc",
		"\x1b[2J\x1b]52;c;eA==\x07", "\u202egnp.exe", "\u00a0x", "\xff\xfe\ufffd", "##[error]x", "\u2028\u009b1m'", "\x7f1\x011",
	} {
		quoted := shellQuote(w)
		if shown := show.BreakMarkers(show.Line("x " + quoted)); shown != "x "+quoted {
			t.Errorf("%q is shown as %q", quoted, shown)
		}
		if err != nil {
			continue
		}
		got, err := exec.CommandContext(t.Context(), bash, "-c", "printf %s "+quoted).Output()
		if err != nil || string(got) != w {
			t.Errorf("%q: bash reads %q back from %s: %v", w, got, quoted, err)
		}
	}
	if got, want := shellQuote("a\x1b[1m b"), `$'a\x1b\x5b1m\x20b'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if strings.Contains(shellQuote("two words"), "$") {
		t.Error("a plain word is quoted as a strange one")
	}
}
