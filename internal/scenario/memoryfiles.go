package scenario

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// memoryFiles are files that the caller brings along, by their paths as displayed. A folder that only they are in is
// there as well. What stands in memory hides what is on disk under the same path.
type memoryFiles map[string][]byte

// newMemoryFiles are files by names with slashes, below the working directory.
func newMemoryFiles(named map[string][]byte) memoryFiles {
	if len(named) == 0 {
		return nil
	}
	m := make(memoryFiles, len(named))
	for name, data := range named {
		m[filepath.FromSlash(name)] = data
	}
	return m
}

// paths are those of all files, sorted.
func (m memoryFiles) paths() []string { return slices.Sorted(maps.Keys(m)) }

// entries are the names of the files and folders directly in a folder; the value says which are folders.
func (m memoryFiles) entries(dir string) map[string]bool {
	found := map[string]bool{}
	for path := range m {
		rest, below := path, true
		if dir != "." {
			rest, below = strings.CutPrefix(path, dir+string(filepath.Separator))
		}
		if !below {
			continue
		}
		name, _, folder := strings.Cut(rest, string(filepath.Separator))
		found[name] = folder
	}
	return found
}

// isDir reports whether there is a file below a folder.
func (m memoryFiles) isDir(path string) bool { return len(m.entries(path)) > 0 }

// matching are the files that a pattern without ** matches.
func (m memoryFiles) matching(pattern string) (found []string) {
	for path := range m {
		if ok, err := filepath.Match(pattern, path); ok && err == nil {
			found = append(found, path)
		}
	}
	return found
}
