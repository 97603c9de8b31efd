package recording

import (
	"slices"
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

func TestNumbers(t *testing.T) {
	t.Parallel()
	for id, n := range map[string]int{
		"refund/gpt-4o/default#12": 12, "refund_2/m/eu_3#7[Tone=rude]": 7, "refund/m/default#1000000000[v=1]": 1000000000,
	} {
		if all, whole := Numbers(FileName(id)); !whole || !slices.Contains(all, n) {
			t.Errorf("%s: %v, %v", id, all, whole)
		}
	}
	if _, whole := Numbers(FileName(strings.Repeat("long", 30) + "#7")); whole {
		t.Error("a name that was cut is told to be whole")
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
