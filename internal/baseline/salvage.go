package baseline

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/sortby"
)

// Salvaged is the undamaged part of a damaged file.
type Salvaged struct {
	File
	Named bool // Suite is known
	// Twice are the names of groups with lines that differ, as a merge leaves them. Groups has the first.
	Twice []string
}

// Salvage reads each line of a damaged file that is one of arena, whatever is around it.
func Salvage(data []byte) *Salvaged {
	s := &Salvaged{File: File{Version: Version}}
	for text := range strings.Lines(string(data)) {
		text = strings.TrimSuffix(strings.TrimSpace(text), ",")
		if suite, found := strings.CutPrefix(text, `"suite":`); found && !s.Named {
			s.Named = json.Unmarshal([]byte(suite), &s.Suite) == nil
			continue
		}
		var g Group
		if err := json.Unmarshal([]byte(text), &g); err != nil || g.Name == "" || g.Sum != g.sum() {
			continue
		}
		i := slices.IndexFunc(s.Groups, func(other Group) bool { return other.Name == g.Name })
		switch {
		case i < 0:
			s.Groups = append(s.Groups, g)
		case s.Groups[i].Sum != g.Sum && !slices.Contains(s.Twice, g.Name):
			s.Twice = append(s.Twice, g.Name)
		}
	}
	sortby.Func(s.Groups, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	s.Count = len(s.Groups)
	return s
}

var versionLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"baseline":\s*([0-9]{1,9})`) })

// VersionOf is the version that a file names, which may be damaged; false: it names none.
func VersionOf(data []byte) (version int, named bool) {
	m := versionLine().FindSubmatch(data)
	if m == nil {
		return 0, false
	}
	version, err := strconv.Atoi(string(m[1]))
	return version, err == nil
}
