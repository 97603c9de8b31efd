package scenario

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// MissingFile is the code of the problem of a missing file.
const MissingFile = "missing-file"

// missing is the problem of a missing file, with the nearest name in its folder.
func (f *files) missing(path string) *problem {
	if f.outside(path) && f.exists(path) {
		return f.staysHere(path)
	}
	p := &problem{code: MissingFile, msg: fmt.Sprintf("there is no file %q", path)}
	dir := filepath.Dir(path)
	if other := cmp.Or(f.spelled(path), f.nearby(path)); other != "" {
		p.hint = fmt.Sprintf("did you mean %q?", filepath.ToSlash(other))
	} else if near := diag.Nearest(filepath.Base(path), f.names(dir)); near != "" {
		p.hint = fmt.Sprintf("did you mean %q?", join(dir, near))
	}
	return p
}

// nearby is a file with the same name in a folder beside or below the named one; "": none, or several.
func (f *files) nearby(path string) (found string) {
	dir, base := filepath.Dir(path), filepath.Base(path)
	for _, above := range []string{dir, filepath.Dir(dir)} {
		for _, name := range f.names(above) {
			at := join(join(above, name), base)
			if strings.HasPrefix(name, ".") || !f.exists(at) || f.isDir(at) {
				continue
			}
			if found != "" && found != at {
				return ""
			}
			found = at
		}
	}
	return found
}

// spelled is the file whose path differs only in slashes or case, or is relative to the working directory instead of
// absolute; "": none.
func (f *files) spelled(path string) string {
	straight := strings.ReplaceAll(path, `\`, "/")
	for _, from := range []string{straight, strings.TrimLeft(straight, "/")} {
		found := ""
		if filepath.IsAbs(from) {
			found = string(filepath.Separator)
		}
		for part := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(from)), "/") {
			if part == "" {
				continue
			}
			at := join(found, part)
			if !f.exists(at) {
				names := f.names(cmp.Or(found, "."))
				i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, part) })
				if i < 0 {
					found = ""
					break
				}
				at = join(found, names[i])
			}
			found = at
		}
		if found != "" && found != path && !f.isDir(found) {
			return found
		}
	}
	return ""
}
