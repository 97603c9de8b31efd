package harness

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestVaultLearnsTheEnvironmentOfPrograms learns values under the names that programs see, wherever they come from, and
// none that only sets how a program works.
func TestVaultLearnsTheEnvironmentOfPrograms(t *testing.T) {
	t.Parallel()
	v := NewSecrets(nil)
	env := map[string]string{
		"SEKVAR": "hush-1", "LONG": "0123456789abcdef", "HALF": "half-of-it", "LANG": "en_US.UTF-8", "OTHER": "not-handed-over",
		"HOME": t.TempDir(), "SHOP_TOKEN": "passed-on",
	}
	v.watchProject(&scenario.Project{
		Handlers: []*scenario.Handler{{Type: "x", Env: []string{
			"SEK_TOKEN=${SEKVAR}", "PLAIN=${LONG}", "A_KEY=begins-${HALF}", "LANG=en", "MODE=fast", "LANG", "HOME", "SHOP_TOKEN",
			"DB_PWD=inline", "UNSET_TOKEN=${UNSET}", "MISSING",
		}}},
		Getenv: func(name string) (string, bool) {
			value, set := env[name]
			return value, set
		},
	})
	known := v.Known()
	slices.Sort(known)
	want := []string{"0123456789abcdef", "begins-half-of-it", "half-of-it", "hush-1", "inline", "passed-on"}
	if !slices.Equal(known, want) {
		t.Errorf("known are %q, want %q", known, want)
	}
}

// TestVaultKnowsNoPlaces takes no folder and no file for a secret, and takes passwords for one.
func TestVaultKnowsNoPlaces(t *testing.T) {
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
