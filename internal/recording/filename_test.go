package recording

import (
	"strings"
	"testing"
)

func TestFileName(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, id := range []string{
		"a/b/c", "a_b_c", "A/b/c", "a/b/c#2", "../../etc/passwd", "-rf", ".hidden", "con", "nul", strings.Repeat("long", 99),
		strings.Repeat("long", 99) + "er", "日本", "日木", "a\x00b", "", " ",
	} {
		name := FileName(id)
		if name[0] == '.' || len(name) > 100 ||
			strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "" {
			t.Errorf("%q: %s", id, name)
		}
		if other, taken := seen[strings.ToLower(name)]; taken {
			t.Errorf("%q and %q share %s", id, other, name)
		}
		seen[strings.ToLower(name)] = id
	}
}

// TestFileNameStays: cassettes of earlier runs are found by these names.
func TestFileNameStays(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"parcel/agent/default#1": "parcel_agent_default_1-db00f8715a",
		"Ada/ø":                  "Ada___-70e88e41f1",
	} {
		if got := FileName(id); got != want {
			t.Errorf("%q: got %s, want %s", id, got, want)
		}
	}
}
