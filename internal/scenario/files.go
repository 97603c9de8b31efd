package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plainfile"
)

// files reads files below one working directory. The loader's paths are as displayed: relative if they are below the
// working directory. It is safe for concurrent use.
type files struct {
	dir    string // "": that of the process
	memory memoryFiles
	count  atomic.Int64
	sent   bool // see Options.Sent

	mu    sync.Mutex // guards taken
	taken []string

	once  sync.Once
	bases []string // see base
}

// problem is why a file cannot be read.
type problem struct {
	code, msg, hint string
}

// access is the path for system calls.
func (f *files) access(path string) string {
	if f.dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(f.dir, path)
}

// show is the path for messages, the same for all spellings: relative if it is below the working directory.
func (f *files) show(path string) string {
	clean := filepath.Clean(path)
	if filepath.IsLocal(clean) {
		return clean
	}
	bases := f.base()
	if !filepath.IsAbs(path) {
		if len(bases) == 0 {
			return clean
		}
		if rel, err := filepath.Rel(bases[0], filepath.Join(bases[0], path)); err == nil {
			return rel // it leaves the working directory, and may enter it again
		}
		return clean
	}
	for _, base := range bases {
		if rel, err := filepath.Rel(base, clean); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return clean
}

// base returns the absolute names of the working directory, of which the first leads to the parent folder by "..". It
// is empty if the system does not know it.
func (f *files) base() []string {
	f.once.Do(func() {
		named, err := filepath.Abs(f.dir)
		if err != nil {
			return
		}
		f.bases = []string{named}
		if whole, err := filepath.EvalSymlinks(named); err == nil && f.dir == "" && whole != named {
			f.bases = []string{whole, named}
		}
	})
	return f.bases
}

// rel is the relative path from a folder to a path, both as displayed.
func (f *files) rel(dir, path string) (string, error) {
	return filepath.Rel(f.absolutePath(dir), f.absolutePath(path))
}

// absolutePath is the absolute form of a displayed path.
func (f *files) absolutePath(path string) string {
	bases := f.base()
	if filepath.IsAbs(path) || len(bases) == 0 {
		return path
	}
	return filepath.Join(bases[0], path)
}

// below reports whether a path is a folder, or below it.
func (f *files) below(dir, path string) bool {
	rel, err := f.rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func (f *files) exists(path string) bool {
	if f.inMemory(path) || f.isMemoryDir(path) {
		return true
	}
	_, err := os.Stat(f.access(path))
	return err == nil
}

func (f *files) isDir(path string) bool {
	if f.isMemoryDir(path) {
		return true
	}
	info, err := os.Stat(f.access(path))
	return err == nil && info.IsDir()
}

// inMemory reports whether the caller supplied a file.
func (f *files) inMemory(path string) bool {
	if len(f.memory) == 0 {
		return false
	}
	_, ok := f.memory[f.show(path)]
	return ok
}

// isMemoryDir reports whether the caller supplied a file below a folder.
func (f *files) isMemoryDir(path string) bool {
	return len(f.memory) > 0 && f.memory.isDir(f.show(path))
}

// take is read for a file that belongs to the project.
func (f *files) take(path string) ([]byte, *problem) {
	if f.outside(path) {
		return nil, f.staysHere(path)
	}
	data, why := f.read(path)
	if why == nil && f.sent {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.taken = append(f.taken, f.show(path))
	}
	return data, why
}

// outside reports whether a file is missing on a machine to which the project is sent, because it is outside the
// working directory. Absolute paths may exist there.
func (f *files) outside(path string) bool {
	if !f.sent || filepath.IsAbs(path) {
		return false
	}
	shown := f.show(path)
	return !filepath.IsAbs(shown) && !filepath.IsLocal(shown)
}

func (f *files) staysHere(path string) *problem {
	return &problem{
		"outside-project",
		fmt.Sprintf("%q is not below the working directory, and workers get only what is", f.show(path)),
		"run it from a folder that holds the whole project, and name its files from there",
	}
}

// read returns the content of a regular file within the size limit.
func (f *files) read(path string) ([]byte, *problem) {
	if f.inMemory(path) {
		data := f.memory[f.show(path)]
		if len(data) > node.MaxBytes {
			return nil, tooLarge(path, int64(len(data)))
		}
		f.count.Add(1)
		return data, nil
	}
	name := f.access(path)
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, f.unreadable(path, err)
	case info.IsDir():
		return nil, &problem{"is-directory", fmt.Sprintf("%q is a directory, not a file", path), ""}
	case !info.Mode().IsRegular():
		return nil, &problem{"not-regular", fmt.Sprintf("%q is not a regular file", path), ""}
	case info.Size() > node.MaxBytes:
		return nil, tooLarge(path, info.Size())
	}
	data, err := plainfile.Read(name)
	if err != nil {
		return nil, f.unreadable(path, err)
	}
	f.count.Add(1)
	return data, nil
}

func tooLarge(path string, size int64) *problem {
	const text = "%q has %d MiB; the limit is %d MiB"
	return &problem{"file-too-large", fmt.Sprintf(text, path, size>>20, node.MaxBytes>>20), ""}
}

func (f *files) unreadable(path string, err error) *problem {
	if !errors.Is(err, fs.ErrNotExist) {
		return &problem{"unreadable-file", fmt.Sprintf("%q cannot be read: %v", path, plainfile.WithoutPath(err)), ""}
	}
	return f.missing(path)
}

// noMatch is the problem of a pattern without matches: the missing folder, or the files that the folder has.
func (f *files) noMatch(pattern string) *problem {
	p := &problem{code: "no-match", msg: fmt.Sprintf("no file matches %q", pattern)}
	dir := pattern
	for strings.ContainsAny(dir, globSigns) {
		dir = filepath.Dir(dir)
	}
	if !f.isDir(dir) {
		p.hint = fmt.Sprintf("there is no folder %q", dir)
		if near := f.missing(dir).hint; near != "" {
			p.hint += "; " + near
		}
	} else if held := yamlFiles(f.names(dir)); held != "" && filepath.Dir(pattern) == dir {
		p.hint = folder(dir) + " has " + held
	}
	return p
}

// yamlFiles lists the YAML and JSON files among some names, up to a limit.
func yamlFiles(names []string) string {
	const most = 5
	names = slices.DeleteFunc(names, func(name string) bool {
		return !slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name)))
	})
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// above are the parent folders of the working directory, the nearest first, up to the root of its repository.
func (f *files) above() []string {
	bases := f.base()
	if len(bases) == 0 {
		return nil
	}
	dir := bases[0]
	var all []string
	for up := ".."; len(all) < configLevels && filepath.Dir(dir) != dir; up = join("..", up) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
		all = append(all, up)
	}
	return all
}

// names lists a folder; nil when it cannot be read.
func (f *files) names(dir string) []string {
	entries, err := os.ReadDir(f.access(dir))
	if err != nil && !f.isMemoryDir(dir) {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(f.memory) == 0 {
		return names
	}
	names = slices.AppendSeq(names, maps.Keys(f.memory.entries(f.show(dir))))
	slices.Sort(names)
	return slices.Compact(names)
}

// join is filepath.Join that leaves an absolute path alone.
func join(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// globSigns are the signs that make a path a pattern.
const globSigns = "*?["

// isGlob reports whether a path is a pattern.
func (f *files) isGlob(path string) bool {
	return strings.ContainsAny(path, globSigns) && !f.exists(path)
}

// glob returns the files that match a pattern, sorted. ** matches any number of folders, except dot folders.
func (f *files) glob(pattern string) ([]string, error) {
	var found []string
	before, after, deep := strings.Cut(pattern, "**")
	if !deep {
		matches, err := filepath.Glob(f.access(pattern))
		if err != nil {
			return nil, err
		}
		for _, m := range matches {
			found = append(found, f.show(m))
		}
		if len(f.memory) > 0 {
			found = append(found, f.memory.matching(f.show(pattern))...)
		}
		slices.Sort(found)
		return slices.Compact(found), nil
	}
	tail := strings.TrimPrefix(filepath.ToSlash(after), "/")
	if tail == "" {
		tail = "*"
	}
	if _, err := filepath.Match(tail, ""); err != nil {
		return nil, err
	}
	root := filepath.Clean("./" + before)
	if filepath.IsAbs(before) {
		root = filepath.Clean(before)
	}
	err := f.walk(root, func(path string, dir bool) error {
		rel, err := filepath.Rel(root, path)
		if err == nil && !dir && matchesTail(tail, filepath.ToSlash(rel)) {
			found = append(found, f.show(path))
		}
		return err
	})
	slices.Sort(found)
	return found, err
}

// matchesTail reports whether the last elements of a path match a pattern of as many elements.
func matchesTail(pattern, path string) bool {
	elements := strings.Split(path, "/")
	n := strings.Count(pattern, "/") + 1
	if len(elements) < n {
		return false
	}
	last := strings.Join(elements[len(elements)-n:], "/")
	ok, err := filepath.Match(filepath.FromSlash(pattern), filepath.FromSlash(last))
	return err == nil && ok
}

// walk calls visit for every file and folder below a folder, in lexical order. It skips dot folders, and folders for
// which visit returns fs.SkipDir. It follows links, and visits each folder once.
func (f *files) walk(root string, visit func(path string, dir bool) error) error {
	return f.walkIn(root, map[string]bool{}, visit)
}

func (f *files) walkIn(dir string, seen map[string]bool, visit func(path string, dir bool) error) error {
	entries, err := f.entries(dir, seen)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		path, isDir := join(dir, name), entries[name]
		if isDir && strings.HasPrefix(name, ".") {
			continue
		}
		err := visit(path, isDir)
		if err == nil && isDir {
			err = f.walkIn(path, seen, visit)
		}
		if err != nil && (!isDir || !errors.Is(err, fs.SkipDir)) {
			return err
		}
	}
	return nil
}

// entries are the names in a folder, on disk and in memory; the value is true for folders. For a folder on disk that
// was visited before it returns none.
func (f *files) entries(dir string, seen map[string]bool) (map[string]bool, error) {
	found := map[string]bool{}
	if len(f.memory) > 0 {
		found = f.memory.entries(f.show(dir))
	}
	base, err := filepath.EvalSymlinks(f.access(dir))
	switch {
	case err != nil && len(found) > 0: // it exists only in memory
		return found, nil
	case err != nil || seen[base]:
		return nil, err
	}
	seen[base] = true
	list, err := os.ReadDir(base)
	for _, e := range list {
		if _, hidden := found[e.Name()]; !hidden {
			found[e.Name()] = e.IsDir() || e.Type()&fs.ModeSymlink != 0 && f.isDir(join(dir, e.Name()))
		}
	}
	return found, err
}
