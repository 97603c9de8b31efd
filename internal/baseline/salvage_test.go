package baseline

import (
	"slices"
	"strings"
	"testing"
)

// TestSalvage: of a damaged file each line of a group that is whole stays, and nothing else.
func TestSalvage(t *testing.T) {
	t.Parallel()
	group := func(name string, passed int) Group {
		return Group{Name: name, Status: "passed", Passed: passed, Low: 0.5, High: 1, Asked: "a"}
	}
	good := string(New("shop", []Group{group("a/m/default", 5), group("b/m/default", 5)}).Encode())
	other := string(New("shop", []Group{group("a/m/default", 4), group("b/m/default", 5)}).Encode())
	names := func(s *Salvaged) (all []string) {
		for i := range s.Groups {
			all = append(all, s.Groups[i].Name)
		}
		return all
	}
	both := []string{"a/m/default", "b/m/default"}
	edited := strings.Replace(good, `"passed":5`, `"passed":9`, 1)
	for _, c := range []struct {
		name, data  string
		want, twice []string
		named       bool
	}{
		{"whole", good, both, nil, true},
		{"a mark of a merge", "<<<<<<< HEAD\n" + good, both, nil, true},
		{"two sides", good + "=======\n" + other, both, []string{"a/m/default"}, true},
		{"cut off", good[:strings.LastIndex(good, `"b/m/default"`)], both[:1], nil, true},
		{"a line that was edited", edited, both[1:], nil, true},
		{"without its suite", strings.Replace(good, `"suite"`, `"sweet"`, 1), both, nil, false},
		{"nothing of it", "\x00\xff{", nil, nil, false},
		{"empty", "", nil, nil, false},
	} {
		s := Salvage([]byte(c.data))
		if !slices.Equal(names(s), c.want) || !slices.Equal(s.Twice, c.twice) || s.Named != c.named {
			t.Errorf("%s: %v, twice %v, named %v", c.name, names(s), s.Twice, s.Named)
		}
		if s.Count != len(s.Groups) {
			t.Errorf("%s: count %d", c.name, s.Count)
		}
	}
	for data, want := range map[string]int{good: Version, `"baseline":  7`: 7, `{"baseline": "x"}`: -1, "": -1} {
		version, named := VersionOf([]byte(data))
		if named != (want >= 0) || named && version != want {
			t.Errorf("%.20q: version %d, %v", data, version, named)
		}
	}
}
