package secret

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestSecretsOfDigits: a secret may be a number. The document stays valid, arena's own counts stay, and other numbers
// are redacted.
func TestSecretsOfDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ secret, text, want string }{
		{"12345678", `{"tokens":12345678,"seq":912345678}`, `{"tokens":12345678,"seq":912345678}`},
		{"12345678", `{"args":{"pin":12345678,"all":[1,12345678]}}`, `{"args":{"pin":"[redacted]","all":[1,"[redacted]"]}}`},
		{"12345678", `{"a":[{"details": {"n": 12345678.5}}, 12345678]}`, `{"a":[{"details": {"n": "[redacted]"}}, 12345678]}`},
		{"12345678", `{"args":{"k":"x"},"tokens":12345678}`, `{"args":{"k":"x"},"tokens":12345678}`},
		{"12345678", `{"note":"args","tokens":[12345678]}`, `{"note":"args","tokens":[12345678]}`},
		{"12345678", `{"text":"it is 12345678","tokens":12345678}`, `{"text":"it is [redacted]","tokens":12345678}`},
		{"12345678", `{"text":"{\"pin\": 12345678}"}`, `{"text":"{\"pin\": [redacted]}"}`},
		{"1234", `{"tokens":1234,"args":{"n":1234,"m":12345}}`, `{"tokens":1234,"args":{"n":"[redacted]","m":12345}}`},
		{"1e5678", `{"cost":1e5678}`, `{"cost":1e5678}`},
	} {
		g := &Guard{}
		g.Learn(c.secret)
		got := string(g.JSON([]byte(c.text)))
		if got != c.want || !json.Valid([]byte(got)) {
			t.Errorf("%s in %s: got %s, want %s", c.secret, c.text, got, c.want)
		}
	}
}

// TestDigitsInDocuments: wherever a document is cut into pieces, the numbers of its fields stay, and its texts lose
// what is secret.
func TestDigitsInDocuments(t *testing.T) {
	t.Parallel()
	g := &Guard{}
	g.Learn("12345678")
	line := `{"text": "12345678 ` + strings.Repeat("x", 97) + `", "tokens": 12345678}` + "\n"
	text := strings.Repeat(line, 2000)
	var b bytes.Buffer
	w := g.Document(&b, JSON)
	for rest := []byte(text); len(rest) > 0; {
		n := min(len(rest), 1013)
		if _, err := w.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(text, `"12345678 `, `"[redacted] `)
	if b.String() != want || string(g.Bytes([]byte(text))) != want {
		t.Error("the document is another one")
	}
}

// TestDigitsInTexts: where no document of JSON is, a number is a text like any other.
func TestDigitsInTexts(t *testing.T) {
	t.Parallel()
	g := &Guard{}
	g.Learn("12345678")
	for _, text := range []string{"pin: 12345678", "1,12345678,3", "key=12345678", "12345678", `\"pin\":12345678,`, `'pin': 12345678`, `{"pin": 12345678}`} {
		if got := g.Text(text); strings.Contains(got, "12345678") {
			t.Errorf("%s: got %s", text, got)
		}
	}
}
