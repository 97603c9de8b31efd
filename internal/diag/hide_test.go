package diag_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// looks are texts that seem to contain a secret, and the secret in each.
var looks = map[string]string{
	"api_key: hunter2hunter2":                                "hunter2hunter2",
	`{"private_key": "hunter2hunter2"}`:                      "hunter2hunter2",
	`{"private_key_id": "0123456789abcdef0123"}`:             "0123456789abcdef0123",
	"DB_PASS=hunter2hunter2":                                 "hunter2hunter2",
	"export STRIPE_KEY='hunter2hunter2'":                     "hunter2hunter2",
	`{"auth": "aHVudGVyMjpodW50ZXIy"}`:                       "aHVudGVyMjpodW50ZXIy",
	"the key sk_live_0123456789abcdef is wrong":              "sk_live_0123456789abcdef",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl":      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
	"Authorization: Bearer abcdef0123456789":                 "abcdef0123456789",
	"postgres://me:hunter2hunter2@db/x":                      "hunter2hunter2",
	"https://blob/x?se=1&sig=abcdef0123456789%3D":            "abcdef0123456789%3D",
	"client-key-data: " + keyLine:                            keyLine,
	"    " + keyLine:                                         keyLine,
	"-----BEGIN EC PRIVATE KEY----- " + keyLine:              keyLine,
	"machine api.example.com login me password hunter2":      "hunter2",
	"AccountName=x;AccountKey=hunter2hunter2;EndpointSuffix": "hunter2hunter2",
}

var keyLine = base64.StdEncoding.EncodeToString([]byte("all of this is the secret part of a key, 0123456789"))

// TestMessagesHideSecrets puts apparent secrets into every part of a message, at every width: the source line, the
// message and the hint.
func TestMessagesHideSecrets(t *testing.T) {
	t.Parallel()
	for text, secret := range looks {
		d := diag.Diagnostic{
			Pos: diag.Pos{File: "a.yaml", Line: 2, Col: 1}, Width: 3, Code: "x", Msg: "found " + text, Hint: "try " + text,
		}
		var all strings.Builder
		for width := 20; width < 160; width += 11 {
			for _, col := range []int32{0, 1, 7, 20, 39} {
				d.Pos.Col = col
				read := func(string) ([]byte, error) { return []byte("id: x\n" + text + "\n"), nil }
				if err := diag.Print(&all, []diag.Diagnostic{d}, diag.PrintOptions{Read: read, Width: width}); err != nil {
					t.Fatal(err)
				}
			}
		}
		all.WriteString(d.Line() + "\n" + d.Advice() + "\n")
		if err := diag.WriteJSON(&all, []diag.Diagnostic{d}, 1); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(all.String()) {
			for i := 0; i+6 <= len(secret); i++ {
				if strings.Contains(line, secret[i:i+6]) {
					t.Fatalf("%s is shown: %s", text, line)
				}
			}
		}
	}
}

// TestOrdinaryWordsAreShown: other texts stay unchanged.
func TestOrdinaryWordsAreShown(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"max_tokens: 4000000", "pass_rate: 0.950000", "the token count of the reply is 300000",
		"/home/me/Projects/Arena2/scenarios/withAVeryLongName/andAnother/file.yaml", "bypass: everything",
		strings.Repeat("abcdef0123", 5), "key: refund-window", "unknown field \"temperaturre\" in a provider",
		"passes now, failed before", "the password that a user names is not asked for",
	} {
		if got := diag.HideSecrets(text); got != text {
			t.Errorf("%s is shown as %s", text, got)
		}
	}
}

// TestForeign distinguishes files of other programs from arena's.
func TestForeign(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a.yaml": "id: x\n", "b.yml": "---\n# x\nid: x", "c.json": "{\"id\": 1}", "d.jsonl": "{\"a\": 1}\n", "e.md": "---\nname: x\n---\nBe kind.",
		"f.yaml": "- a\n", "g.yaml": "\"id\": x", "h.txt": "Be kind to all.", "i.yaml": "[1, 2]", "j.yaml": "turns\n  - a: 1\n",
		"k.yaml": "{{ x }}", "l.yaml": "<<: *base", "m.yaml": "", "n.yaml": "id:x\n", "--params": "x",
	} {
		if want := name == "j.yaml"; diag.Foreign(name, []byte(text)) != want {
			t.Errorf("%s, %q: %v", name, text, !want)
		}
	}
}
