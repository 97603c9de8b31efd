package secret

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// documents hold a word and a number in every place of a format, with the redacted result.
var documents = []struct {
	name, secret, text, want string
	format                   Format
}{
	{"keys", "status", `{"status":"passed","text":"status","args":{"status":"is status","n":[{"status":1}]},"x":"a"}`,
		`{"status":"passed","text":"[redacted]","args":{"[redacted]":"is [redacted]","n":[{"[redacted]":1}]},"x":"a"}`, JSON},
	{"words of our own", "passed", `{"status": "passed", "text": "it passed", "metadata": {"status": "passed"}}`,
		`{"status": "passed", "text": "it [redacted]", "metadata": {"status": "[redacted]"}}`, JSON},
	{"a secret where a word is expected", "sk-12345", `{"status":"sk-12345","type":"sk-12345"}`,
		`{"status":"[redacted]","type":"[redacted]"}`, JSON},
	{"keys of others", "sk-12345", `{"labels":{"sk-12345":"x"}}`, `{"labels":{"[redacted]":"x"}}`, JSON},
	{"keys that become equal", "sk-12345", `{"args":{"sk-12345":1,"SK":2,"\u0073k-12345":3,"in":{"sk-12345":4}}}`,
		`{"args":{"[redacted]":1,"SK":2,"[redacted] 2":3,"in":{"[redacted]":4}}}`, JSON},
	{"lists", "content", `{"l":["content",{"content":"a"},"content"],"content":["content"]}`,
		`{"l":["[redacted]",{"content":"a"},"[redacted]"],"content":["[redacted]"]}`, JSON},
	{"lines", "content", `{"content":"content"}` + "\n" + `{"content":"\"content\""}` + "\n",
		`{"content":"[redacted]"}` + "\n" + `{"content":"\"[redacted]\""}` + "\n", JSON},
	{"quotes", `"quoted"`, `{"a":"quoted","b":"\"quoted\"","quoted":"\\"}`, `{"a":"quoted","b":"[redacted]","quoted":"\\"}`, JSON},
	{"times", "2026", `{"started":"2026-11-22T10:00:00.5Z","text":"in 2026"}`,
		`{"started":"2026-11-22T10:00:00.5Z","text":"in [redacted]"}`, JSON},
	{"numbers as texts", "12345678", `{"key":"a.b","value":{"intValue":"12345678"}}`, `{"key":"a.b","value":{"intValue":"12345678"}}`, JSON},
	{"tags and attributes", "testcase", `<?xml version="1.0"?><testcase name="a testcase" time="1"><x testcase='testcase &lt;'>the testcase</x></testcase>`,
		`<?xml version="1.0"?><testcase name="a [redacted]" time="1"><x testcase='[redacted] &lt;'>the [redacted]</x></testcase>`, Markup},
	{"counts", "1234", `<testsuite tests="1234" file="1234" time="1234.5">1234</testsuite>`,
		`<testsuite tests="1234" file="[redacted]" time="1234.5">[redacted]</testsuite>`, Markup},
	{"scripts", "const", `<style>.const{}</style><p class="const" title="const">const</p><script id="a">const a = "<const"</script>const`,
		`<style>.const{}</style><p class="const" title="[redacted]">[redacted]</p><script id="a">const a = "<const"</script>[redacted]`, Markup},
	{"quoted sections", "testcase", `<a><![CDATA[ <testcase> ]]></a>`, `<a><![CDATA[ <[redacted]> ]]></a>`, Markup},
	{"a policy", "default", `<meta content="default-src 'none'"><b>ok</b>`, `<meta content="default-src 'none'"><b>ok</b>`, Markup},
	{"text", "passed", `| passed | {"passed": 1} <passed>`, `| [redacted] | {"[redacted]": 1} <[redacted]>`, Plain},
}

// TestDocumentsStay: whatever a secret equals, a document stays one of its format, and its texts lose the secret, in
// pieces of any size.
func TestDocumentsStay(t *testing.T) {
	t.Parallel()
	for _, c := range documents {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := &Guard{}
			g.Learn(c.secret)
			for _, times := range []int{1, 2000} {
				text, want := strings.Repeat(c.text, times), strings.Repeat(c.want, times)
				for _, size := range []int{7, 1013, len(text)} {
					if got := inPieces(t, g, c.format, text, size); got != want {
						t.Fatalf("%d times in pieces of %d:\ngot  %.300s\nwant %.300s", times, size, got, want)
					}
				}
				if got := string(g.JSON([]byte(text))); c.format == JSON && got != want {
					t.Fatalf("%d times at once:\ngot  %.300s\nwant %.300s", times, got, want)
				}
			}
			if c.format == JSON && !isJSONText(c.want) || c.format == Markup && strings.HasPrefix(c.want, "<?xml") && !isXML(c.want) {
				t.Errorf("it is none any more: %s", c.want)
			}
		})
	}
}

func inPieces(t *testing.T, g *Guard, f Format, text string, size int) string {
	t.Helper()
	var b bytes.Buffer
	w := g.Document(&b, f)
	for at := 0; at < len(text); at += size {
		if _, err := io.WriteString(w, text[at:min(at+size, len(text))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func isJSONText(text string) bool {
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			return false
		}
	}
	return true
}

func isXML(text string) bool {
	for dec := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := dec.Token(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// FuzzDocuments: nothing but the secret is lost, whatever is written and however.
func FuzzDocuments(f *testing.F) {
	for _, c := range documents {
		f.Add(c.text, 7, uint8(c.format))
	}
	f.Add("<a '", 1, uint8(Markup))
	f.Add(`{"a\`, 1, uint8(JSON))
	f.Fuzz(func(t *testing.T, text string, size int, format uint8) {
		if size < 1 {
			return
		}
		g := &Guard{}
		g.Learn("zq-secret-zq")
		if strings.Contains(g.Text(text), Redacted) || strings.Contains(text, "zq") {
			return
		}
		if got := inPieces(t, g, Format(format%3), text, size); got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// TestLabels: the names and numbers of metrics stay.
func TestLabels(t *testing.T) {
	t.Parallel()
	g := &Guard{}
	g.Learn("arena", "1234", "passed")
	const text = "# HELP arena_trials the trials of arena\n# TYPE arena_trials counter\n" +
		`arena_trials{arena="of arena",n="1234\"arena",status="passed"} 1234` + "\narena_trials 1234\n"
	const want = "# HELP arena_trials the trials of [redacted]\n# TYPE arena_trials counter\n" +
		`arena_trials{arena="of [redacted]",n="[redacted]\"[redacted]",status="passed"} 1234` + "\narena_trials 1234\n"
	if got := string(g.Labels([]byte(text))); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestScreenKeepsDocuments: documents on the screen stay readable for programs.
func TestScreenKeepsDocuments(t *testing.T) {
	t.Parallel()
	g, out := &Guard{}, &bytes.Buffer{}
	g.Learn("checks")
	for _, text := range []string{`{"checks": ["checks"]}` + "\n", "3 checks\n"} {
		if _, err := io.WriteString(g.Screen(out), text); err != nil {
			t.Fatal(err)
		}
	}
	if want := `{"checks": ["[redacted]"]}` + "\n3 [redacted]\n"; out.String() != want {
		t.Errorf("got %s", out)
	}
}
