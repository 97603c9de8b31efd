package secret

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// writers are the encodings of texts in arena's output. They keep blanks within a text.
var writers = []struct {
	name  string
	write func(string) string
}{
	{"as it is", func(s string) string { return s }},
	{"Go quotes", strconv.Quote},
	{"Go quotes in ASCII", strconv.QuoteToASCII},
	{"JSON", func(s string) string { return jsonOf(s, false) }},
	{"JSON for markup", func(s string) string { return jsonOf(s, true) }},
	{"HTML", html.EscapeString},
	{"XML", func(s string) string {
		var b bytes.Buffer
		_ = xml.EscapeText(&b, []byte(s))
		return b.String()
	}},
	{"a query", url.QueryEscape},
	{"a path", url.PathEscape},
	{"Markdown", func(s string) string {
		var b strings.Builder
		for _, r := range s {
			if strings.ContainsRune("\\`*_[]<>~&$@#", r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
		return b.String()
	}},
	{"single quotes of YAML", func(s string) string { return strings.ReplaceAll(s, "'", "''") }},
	{"single quotes of a shell", func(s string) string { return strings.ReplaceAll(s, "'", `'\''`) }},
}

// everyCharacter are the ways to escape all characters, which need not be.
var everyCharacter = map[string]string{
	`\u%04x`: "JSON", `\u%04X`: "JSON in capitals", `\x%02x`: "Go", "&#%d;": "decimal markup", "&#x%x;": "markup",
	"&#X%X;": "markup in capitals", "%%%02X": "an address", "%%%02x": "an address in small letters", "%%25%02X": "twice",
	`\%03o`: "a shell", `\u{%x}`: "JavaScript", `\u{%04X}`: "Swift",
}

// TestSecretsEscapedWhole takes out secrets of which every character is escaped, whatever writes that.
func TestSecretsEscapedWhole(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"hunter2hunter2", "sk-live_0123/4567+89", "pin-42", "it's mine"} {
		set := NewSet([]string{s})
		for form, how := range everyCharacter {
			var b strings.Builder
			for i := range len(s) {
				fmt.Fprintf(&b, form, s[i])
			}
			for _, first := range writers[:7] {
				for _, then := range writers[:7] {
					write := func(text string) string { return then.write(first.write(text)) }
					text := write(`{"k": "It is ` + b.String() + `, keep it"}`)
					want := strings.ReplaceAll(write(`{"k": "It is `+stand+`, keep it"}`), stand, Redacted)
					if got := set.Text(text); got != want {
						t.Errorf("%q escaped as %s in %s in %s:\n%s\nbecame %s\nwant   %s", s, how, first.name, then.name, text, got, want)
					}
				}
			}
		}
	}
	set := NewSet([]string{"customer"})
	for _, text := range []string{`C:\\customers`, `\ucustome`, "&#99;ustome", `"\\customer"`} {
		want := strings.ReplaceAll(text, "customer", Redacted)
		if got := set.Text(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

// TestSecretsAsBytes takes out secrets of which programs write the bytes that are no ASCII by their numbers.
func TestSecretsAsBytes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{`p@ss"w\rd<&>é/7-Zq9`, "ключ-секрет-😀", "pässwörd1", "tab\tand é", "naïve\nlines"} {
		set := NewSet([]string{s})
		for _, form := range []string{`\%03o`, `\x%02x`, `\x%02X`} {
			for _, every := range []bool{false, true} {
				var b strings.Builder
				for _, c := range []byte(s) {
					switch {
					case every || c >= utf8.RuneSelf || c < ' ':
						fmt.Fprintf(&b, form, c)
					case c == '"' || c == '\\':
						b.WriteString(`\` + string(c))
					default:
						b.WriteByte(c)
					}
				}
				for _, w := range writers[:7] {
					text := w.write("b'" + b.String() + "' is it")
					if got, want := set.Text(text), strings.ReplaceAll(w.write("b'"+stand+"' is it"), stand, Redacted); got != want {
						t.Errorf("%q in %s:\n%s\nbecame %s\nwant   %s", s, w.name, text, got, want)
					}
				}
			}
		}
	}
	set := NewSet([]string{"customer"})
	for _, text := range []string{`\1customer`, `a\142customers`, `\u{63ustomer`, `\u{}ustomer`, `\4\0\03`, `\u{`, `\12`} {
		if got, want := set.Text(text), strings.ReplaceAll(text, "customer", Redacted); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

func jsonOf(s string, markup bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(markup)
	_ = enc.Encode(s)
	return strings.TrimSpace(b.String())
}

const stand = "STANDINGHERE"

// eachWay calls f with the output of up to three nested writers.
func eachWay(f func(how string, write func(string) string)) {
	for _, a := range writers {
		for _, b := range writers[:5] {
			for _, c := range writers[:7] {
				f(a.name+" in "+b.name+" in "+c.name, func(s string) string { return c.write(b.write(a.write(s))) })
			}
		}
	}
}

// TestSecretsOfAnySpelling takes secrets of odd characters out of what any writers made of them, and leaves the rest.
func TestSecretsOfAnySpelling(t *testing.T) {
	t.Parallel()
	secrets := []string{`pa"ss\word-long-1`, `C:\new\table\\share\`, "two\nlines and\ttabs", `&amp;"&lt;'`, "%25%2F?a=b&c",
		"ключ-секрет-😀", `"quoted"`, `\\\\x\`, "a/b+c==", "<b>&</b>k", "bell\aand\x1b[0m", `trail-ing"\`}
	random := rand.New(rand.NewPCG(1, 2))
	odd := []rune(`abnrtux0259"\'/<>&;%+-_.#=$@*|~é😀` + "\n\t")
	for range 60 {
		text := make([]rune, 5+random.IntN(20))
		for i := range text {
			text[i] = odd[random.IntN(len(odd))]
		}
		if s := strings.TrimSpace(string(text)); utf8.RuneCountInString(s) > 5 && WorthHiding(s) {
			secrets = append(secrets, s)
		}
	}
	for _, s := range secrets {
		set := NewSet([]string{s})
		eachWay(func(how string, write func(string) string) {
			for _, around := range [][2]string{{"It is ", ", keep it"}, {`{"k":"`, `"}`}, {"", ""}} {
				text := write(around[0] + s + around[1])
				want := strings.ReplaceAll(write(around[0]+stand+around[1]), stand, Redacted)
				if got := set.Text(text); got != want {
					t.Errorf("%q as %s:\n%s\nbecame %s\nwant   %s", s, how, text, got, want)
				}
			}
		})
		if t.Failed() {
			return
		}
	}
}

// TestPartsOfSecrets cuts texts at every character of a secret, before and after they are written.
func TestPartsOfSecrets(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"sk-live-0123456789abcdefghij", `pa"ss\word-"long"-1`, "two\nlines <and> tabs", "ключ-секрет-😀😀"} {
		var g Guard
		g.Learn(s)
		of := []rune(s)
		eachWay(func(how string, write func(string) string) {
			for n := part; n < len(of); n++ {
				for _, c := range []struct{ name, text, want string }{
					{"its beginning", "It is " + string(of[:n]) + Mark, "It is " + stand + Mark},
					{"its end", Mark + string(of[len(of)-n:]) + " is it", Mark + stand + " is it"},
				} {
					text, want := write(c.text), strings.ReplaceAll(write(c.want), stand, Redacted)
					if !strings.Contains(text, Mark) { // as in an address
						continue
					}
					if got := g.Text(text); got != want {
						t.Errorf("%s, %d characters, as %s:\n%s\nbecame %s\nwant   %s", c.name, n, how, text, got, want)
					}
				}
			}
			if got := g.Text(write(Mark + string(of[2:2+part+1]) + Mark)); strings.Contains(write(Mark+"a"), Mark) &&
				!strings.Contains(got, Redacted) {
				t.Errorf("its middle as %s: %s", how, got)
			}
			// The output is cut too, also within an escape.
			whole := write(s)
			head := write(string(of[:part]))
			for at := len(strings.TrimRight(head, `"`)) + 1; at < len(whole); at++ {
				if text := whole[:at]; utf8.ValidString(text) {
					if got := g.Text(text + Mark); !strings.Contains(got, Redacted) {
						t.Errorf("cut after %s: %s became %s", how, text, got)
					}
				}
			}
		})
		if t.Failed() {
			return
		}
	}
}

// TestWhatIsNoPart: the beginning of a secret stays if no cut follows it, or if it is too short.
func TestWhatIsNoPart(t *testing.T) {
	t.Parallel()
	var g Guard
	g.Learn("sk-live-0123456789", "hdr-2b7")
	for text, want := range map[string]string{
		"sk-live-01234 is a part":    "sk-live-01234 is a part",
		"sk-li… tells nothing":       "sk-li… tells nothing",
		"sk-live… tells more":        "[redacted]… tells more",
		"the end …56789":             "the end …56789",
		"the end …456789":            "the end …[redacted]",
		"hdr-… and xhdr-2…":          "[redacted]… and xhdr-2…",
		"nothing …, and then … too…": "nothing …, and then … too…",
	} {
		if got := g.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if g.Set().In([]byte(text)) {
			t.Errorf("%q holds no whole secret", text)
		}
	}
	if got := NewSet([]string{"sk-live-0123456789"}).Text("sk-live-01234…"); got != "sk-live-01234…" {
		t.Errorf("nobody cuts this text, and it became %q", got)
	}
}
