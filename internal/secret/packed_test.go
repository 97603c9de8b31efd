package secret

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// alphabets are the alphabets of Base64.
var alphabets = map[string]*base64.Encoding{
	"standard": base64.StdEncoding, "without padding": base64.RawStdEncoding, "of addresses": base64.URLEncoding,
	"of addresses, without padding": base64.RawURLEncoding,
}

// TestSecretsInBase64 removes encoded secrets, alone or within longer data, with neighbouring characters that reveal
// their bits.
func TestSecretsInBase64(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"hunter2hunter2", "p@ss\"w\\rd<&>é/7-Zq9", "pin-421", "sk-~~~???>>>", "\xfb\xff\xfe~~~", "ключ-секрет"} {
		set := NewSet([]string{s, "another-secret"})
		for name, alphabet := range alphabets {
			for lead := range 5 {
				for tail := range 4 {
					before, after := "user:"[:lead], "@ho"[:tail]
					code := alphabet.EncodeToString([]byte(before + s + after))
					for _, w := range writers[:9] {
						if strings.HasPrefix(w.name, "a ") && strings.Contains(s, "~~") {
							continue // of a secret that is nothing but + and / then, nothing is found in addresses
						}
						text := w.write("It is " + code + ", keep it")
						got := set.Text(text)
						if !strings.Contains(got, Redacted) || !strings.HasPrefix(got, w.write("It is ")[:5]) ||
							!strings.HasSuffix(got, text[len(text)-7:]) {
							t.Errorf("%q %s, after %d and before %d bytes, in %s:\n%s\nbecame %s", s, name, lead, tail, w.name, text, got)
							continue
						}
						if w.name != "as it is" {
							continue
						}
						left, right, _ := strings.Cut(got[len("It is "):len(got)-len(", keep it")], Redacted)
						bits := 8 * (lead + len(s))
						if len(left) > 8*lead/6 || len(right) > len(code)-(bits+5)/6 {
							t.Errorf("%q %s: %q and %q are left beside it of %q", s, name, left, right, code)
						}
						if !strings.HasPrefix(code, left) || !strings.HasSuffix(code, right) {
							t.Errorf("%q %s: %q and %q are no part of %q", s, name, left, right, code)
						}
					}
				}
			}
		}
	}
}

// TestBase64OfOthers: similar data stay, and so does a part of a secret.
func TestBase64OfOthers(t *testing.T) {
	t.Parallel()
	set := NewSet([]string{"hunter2hunter2", "abcd"})
	code := base64.StdEncoding.EncodeToString([]byte("hunter2hunter2"))
	for _, text := range []string{"", "a", code[:12], strings.ToLower(code), code[1:], code[:5] + " " + code[5:], "YWJjZA=="} {
		if got := set.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestBase64BesideMarks: in a cut text, the remaining part of a secret is removed too.
func TestBase64BesideMarks(t *testing.T) {
	t.Parallel()
	set := newSet([]string{"hunter2hunter2hunter2"}, true)
	code := base64.StdEncoding.EncodeToString([]byte("hunter2hunter2hunter2"))
	if got, want := set.Text("is "+code[:20]+Mark), "is "+Redacted+Mark; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := set.Text(Mark + code[8:] + " it"); strings.Contains(got, code[12:]) {
		t.Errorf("got %q", got)
	}
}

// TestBase64Anywhere: a long text of many secrets in every form is redacted completely, and all other bytes stay.
func TestBase64Anywhere(t *testing.T) {
	t.Parallel()
	secrets := []string{"hunter2hunter2", "correct-horse", "tr0ub4dor&3"}
	set := NewSet(secrets)
	for _, gap := range []int{0, 1, 7, 4085, 4096, 9000} {
		var text, want bytes.Buffer
		for i := range 40 {
			s := secrets[i%len(secrets)]
			form := s
			if i%2 == 0 {
				form = base64.RawStdEncoding.EncodeToString([]byte(s))
			}
			fill := strings.Repeat(".", gap) + fmt.Sprintf("(%d)", i)
			text.WriteString(fill + form + ".")
			want.WriteString(fill + Redacted + ".")
		}
		if got := set.Text(text.String()); got != want.String() {
			t.Errorf("with gaps of %d: it became\n%.300s\nwant\n%.300s", gap, got, want.String())
		}
	}
}
