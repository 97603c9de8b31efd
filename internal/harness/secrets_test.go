package harness

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
)

// TestSecretsLearnsTheEnvironmentOfPrograms learns values under the names that programs see, wherever they come from, and
// none that only sets how a program works.
func TestSecretsLearnsTheEnvironmentOfPrograms(t *testing.T) {
	t.Parallel()
	s := NewSecrets(nil)
	env := map[string]string{
		"SEKVAR": "hush-1", "LONG": "0123456789abcdef", "HALF": "half-of-it", "LANG": "en_US.UTF-8", "OTHER": "not-handed-over",
		"HOME": t.TempDir(), "SHOP_TOKEN": "passed-on",
	}
	s.watchProject(&scenario.Project{
		Handlers: []*scenario.Handler{{Type: "x", Env: []string{
			"SEK_TOKEN=${SEKVAR}", "PLAIN=${LONG}", "A_KEY=begins-${HALF}", "LANG=en", "MODE=fast", "LANG", "HOME", "SHOP_TOKEN",
			"DB_PWD=inline", "UNSET_TOKEN=${UNSET}", "MISSING",
		}}},
		Getenv: func(name string) (string, bool) {
			value, set := env[name]
			return value, set
		},
	})
	known := s.Known()
	slices.Sort(known)
	want := []string{"0123456789abcdef", "begins-half-of-it", "half-of-it", "hush-1", "inline", "passed-on"}
	if !slices.Equal(known, want) {
		t.Errorf("known are %q, want %q", known, want)
	}
}

// TestSecretsKnowsNoPlaces takes no folder and no file for a secret, and takes passwords for one.
func TestSecretsKnowsNoPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "key.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"PWD": "/gone/before", "OLDPWD": dir, "SSH_AUTH_SOCK": "/tmp/gone/agent.1", "DESKTOP_SESSION": "plasma",
		"DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus", "GOOGLE_APPLICATION_CREDENTIALS": file, "KEY_DIR": dir,
	} {
		if known := NewSecrets(map[string]string{name: value}).Known(); len(known) > 0 {
			t.Errorf("%s=%s is taken for a secret", name, value)
		}
	}
	for name, value := range map[string]string{
		"DB_PWD": "hunter2", "MYSQL_PWD": "hunter2", "API_KEY": "/ab/cd+ef==", "KEY_FILE": "no-such-file", "AWS_SESSION_TOKEN": "abcdef",
	} {
		if known := NewSecrets(map[string]string{name: value}).Known(); len(known) != 1 {
			t.Errorf("%s=%s is taken for no secret", name, value)
		}
	}
}

// TestSecretsWithinDocuments takes the key out of the credentials that a variable holds as JSON, line by line, and leaves
// what is no secret of them.
func TestSecretsWithinDocuments(t *testing.T) {
	t.Parallel()
	const document = `{"type": "service_account", "project_id": "my-project-1234",
		"private_key": "-----BEGIN PRIVATE KEY-----\nfirst-line-of-a-key\nsecond-line-of-a-key\n-----END PRIVATE KEY-----\n"}`
	for what, value := range map[string]string{
		"as it stands": document,
		"in base64":    base64.StdEncoding.EncodeToString([]byte(document)),
		"in a list":    "[" + document + "]",
	} {
		s := NewSecrets(map[string]string{"GOOGLE_CREDENTIALS": value})
		got := s.Text("says first-line-of-a-key, second-line-of-a-key and my-project-1234")
		if want := "says " + secret.Redacted + ", " + secret.Redacted + " and my-project-1234"; got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}
