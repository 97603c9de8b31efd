package screen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

var views = map[string]func(io.Writer) io.Writer{
	"text":     func(w io.Writer) io.Writer { return w },
	"colored":  screen.Colored,
	"live":     screen.Live,
	"data":     screen.Data,
	"workflow": screen.Workflow,
}

// passed is what a view lets through of a text that is written in pieces of size bytes; 0: at once.
func passed(t testing.TB, view, text string, size int) string {
	t.Helper()
	var b bytes.Buffer
	guarded := screen.New(&b)
	w := views[view](guarded)
	for rest := text; rest != ""; {
		n := len(rest)
		if size > 0 {
			n = min(size, n)
		}
		if got, err := io.WriteString(w, rest[:n]); got != n || err != nil {
			t.Fatalf("%d of %d bytes: %v", got, n, err)
		}
		rest = rest[n:]
	}
	if err := guarded.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestViews(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ view, in, want string }{
		{"text", "plain ✔ grüße 日本語 👩\u200d👩\u200d👧\tx\n", "plain ✔ grüße 日本語 👩\u200d👩\u200d👧\tx\n"},
		{"text", "\x1b[2J\x1b]52;c;eA==\x07", "␛[2J␛]52;c;eA==␇"},
		{"text", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"text", "a\rb\x00\x7f\u0085\u009b\u202e\u2066\u2028\u2029\ufeff",
			"a␍b␀␡⟨U+0085⟩⟨U+009B⟩⟨U+202E⟩⟨U+2066⟩⟨U+2028⟩⟨U+2029⟩⟨U+FEFF⟩"},
		{"text", "\xff\xc3(\xe2\x80", "\ufffd\ufffd(\ufffd\ufffd"},
		{"colored", "\x1b[31mred\x1b[0;22m \x1b[2J\x1b[", "\x1b[31mred\x1b[0;22m ␛[2J␛["},
		{"colored", "\x1b[1;2;3;4;5;6;7mlong\r", "␛[1;2;3;4;5;6;7mlong␍"},
		{"live", "\r\x1b[2A\x1b[J\x1b[32m3\x1b[0m \x1b]0;t\x07", "\r\x1b[2A\x1b[J\x1b[32m3\x1b[0m ␛]0;t␇"},
		{"text", "👩\u200d👧 a\u200db ✔\ufe0f\ufe0f", "👩\u200d👧 a⟨U+200D⟩b ✔\ufe0f⟨U+FE0F⟩"},
		{"data", "{\"a\": \"\U000E0041\u200d\"}", "{\"a\": \"\\udb40\\udc41\\u200d\"}"},
		{"data", "{\"a\": \"\x7f\u009b\u202e ##[x]\"}\n", "{\"a\": \"\\u007f\\u009b\\u202e ##\\u005bx]\"}\n"},
		{"workflow", "::error title=x::y\x1b\n", "::error title=x::y␛\n"},

		{"text", "::stop-commands::x\n  ::a::\n\t::b::", ":\u2060:stop-commands::x\n  :\u2060:a::\n\t:\u2060:b::"},
		{"text", "\u00a0::a::\n\u2003::b::\n\u3000::c::\n\u200b::d::\n\u2060\u2060::e::",
			"\u00a0:\u2060:a::\n\u2003:\u2060:b::\n\u3000:\u2060:c::\n⟨U+200B⟩::d::\n\u2060\u2060:\u2060:e::"},
		{"text", "a ::b::\n: ::c\n\x01::d", "a ::b::\n: ::c\n␁::d"},
		{"text", ":\u2060:already\n::::", ":\u2060:already\n:\u2060:::"},
		{"colored", "\x1b[31m::error::\x1b[0m", "\x1b[31m:\u2060:error::\x1b[0m"},
		{"text", "x ##[error]y ###[z] ##vso[task] ##teamcity[m] #[a] ## [b] ##-[c]\n##",
			"x ##\u2060[error]y ###\u2060[z] ##vso\u2060[task] ##teamcity\u2060[m] #[a] ## [b] ##-[c]\n##"},
		{"text", "##\n[x] ##a#b[ ##a##b[", "##\n[x] ##a#b[ ##a##b\u2060["},
	} {
		for size := range 5 {
			if got := passed(t, tc.view, tc.in, size); got != tc.want {
				t.Errorf("%s, %q in pieces of %d\n got %q\nwant %q", tc.view, tc.in, size, got, tc.want)
			}
		}
	}
}

// TestTrimmed holds the white space that a command may hide behind against what the runner of GitHub trims: that of
// .NET.
func TestTrimmed(t *testing.T) {
	t.Parallel()
	const dotnet = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
		"\u2028\u2029\u202f\u205f\u3000"
	for _, c := range dotnet {
		if !show.IsTrimmed(c) {
			t.Errorf("%U is trimmed there", c)
		}
		line := string(c) + "::stop-commands::x"
		if got := show.BreakCommand(line); strings.Contains(got, "::stop") {
			t.Errorf("%q", got)
		}
		if got := passed(t, "text", line, 0); strings.Contains(got, "::stop") && unicode.IsSpace(rune(got[0])) {
			t.Errorf("%q", got)
		}
	}
}

// TestViewsShareTheLine: what one view begins, another one does not complete.
func TestViewsShareTheLine(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := screen.New(&b)
	for i, part := range []string{" :", ":a\n##v", "so[b]\n\xe2\x80", "\xae\x1b", "[31m"} {
		var view io.Writer = w
		if i%2 == 1 {
			view = screen.Colored(w)
		}
		if _, err := io.WriteString(view, part); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.String(), " :\u2060:a\n##vso\u2060[b]\n\ufffd\ufffd\ufffd␛[31m"; got != want {
		t.Errorf(" got %q\nwant %q", got, want)
	}
	if plain := new(bytes.Buffer); screen.Colored(plain) != io.Writer(plain) {
		t.Error("a writer that guards nothing was wrapped")
	}
}

func TestWriteFails(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left")
	w := screen.New(failing{full})
	if n, err := io.WriteString(w, "x"); n != 0 || !errors.Is(err, full) {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := io.WriteString(w, "\xe2"); n != 1 || err != nil {
		t.Errorf("half a character: %d, %v", n, err)
	}
	if err := w.Flush(); !errors.Is(err, full) {
		t.Errorf("flush: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// FuzzWriter holds every view to what it promises, wherever the text is cut.
func FuzzWriter(f *testing.F) {
	for _, seed := range []string{
		"", resulttest.Poison, "\u3000::stop-commands::x", "##vso[a] ##[b]", "\x1b[31mx\x1b[0m\r\x1b[1A\x1b[J", "\xe2\x80\xae\xff",
	} {
		f.Add(seed, 1)
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(size&0xff, 0)
		for view := range views {
			got := passed(t, view, text, size)
			if whole := passed(t, view, text, 0); got != whole {
				t.Fatalf("%s: in pieces %q\nat once %q", view, got, whole)
			}
			if !utf8.ValidString(got) {
				t.Fatalf("%s: not UTF-8: %q", view, got)
			}
			if view == "colored" || view == "live" {
				continue // what is drawn is arena's own
			}
			if i := strings.IndexFunc(got, show.IsForbidden); i >= 0 {
				t.Fatalf("%s: %q", view, got[i:])
			}
			if view == "workflow" {
				continue
			}
			for line := range strings.SplitSeq(got, "\n") {
				if line != show.BreakCommand(line) || line != show.BreakMarkers(line) {
					t.Fatalf("%s: a command: %q", view, line)
				}
			}
			if again := passed(t, view, got, 0); again != got {
				t.Fatalf("%s: %q a second time %q", view, got, again)
			}
		}
		sameJSON(t, text)
	})
}

// sameJSON expects that a program reads from the view for data what was written there.
func sameJSON(t *testing.T, text string) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{text: []any{text}})
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(passed(t, "data", string(raw), 7)), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q became %q: %v", want, got, err)
	}
}

func BenchmarkWriter(b *testing.B) {
	line := []byte("  ✔ refund-happy-path          gpt-4o-mini   3 turns   1.2 s   $0.0012\n")
	w := screen.New(io.Discard)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := w.Write(line); err != nil {
			b.Fatal(err)
		}
	}
}
