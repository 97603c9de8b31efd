package scenario

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// real is the same for all names of a file. dirs keeps what folders are called, for the next file.
func (f *files) real(path string, dirs map[string]string) string {
	name := f.access(path)
	if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeSymlink != 0 {
		if whole, err := filepath.EvalSymlinks(name); err == nil {
			return f.absolute(whole)
		}
		return f.absolute(name)
	}
	dir, known := dirs[filepath.Dir(name)]
	if !known {
		dir = filepath.Dir(f.absolute(name))
		if whole, err := filepath.EvalSymlinks(dir); err == nil {
			dir = whole
		}
		dirs[filepath.Dir(name)] = dir
	}
	return filepath.Join(dir, filepath.Base(name))
}

func (f *files) absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// linkedNames finds files that are among others under another name.
type linkedNames struct {
	fs     *files
	names  map[string]bool
	byReal map[string]string // made when it is needed
	dirs   map[string]string
}

// of is what a file is called among the others, else its own name.
func (n *linkedNames) of(path string) string {
	if n.names[path] {
		return path
	}
	if n.byReal == nil {
		n.byReal, n.dirs = map[string]string{}, map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(n.names)) {
			n.byReal[n.fs.real(name, n.dirs)] = name
		}
	}
	return cmp.Or(n.byReal[n.fs.real(path, n.dirs)], path)
}

// unlinked makes one project of those that are one, whose folder is named in several ways: its trials run once.
func (l *loader) unlinked(list []*input) (rest []*input) {
	if len(list) < 2 {
		return list
	}
	first, dirs := map[string]*input{}, map[string]string{}
	for _, in := range list {
		if in.config == "" {
			rest = append(rest, in)
			continue
		}
		real := l.fs.real(in.config, dirs)
		if first[real] == nil {
			first[real] = in
			rest = append(rest, in)
			continue
		}
		l.addTo(first[real], in)
	}
	return rest
}

// addTo adds what is asked of a project under another name of its folder.
func (l *loader) addTo(in, same *input) {
	named := func(path string) string {
		if rel, err := l.fs.rel(filepath.Dir(same.config), path); err == nil && filepath.IsLocal(rel) {
			return l.fs.show(join(filepath.Dir(in.config), rel))
		}
		return path
	}
	if in.only == nil || same.only == nil {
		in.only = nil
	} else {
		in.only = maps.Clone(in.only)
		for path := range same.only {
			in.only[named(path)] = true
		}
	}
	for _, f := range same.extra {
		f.path = named(f.path)
		in.extra = append(in.extra, f)
	}
	in.extra = l.distinct(in.extra)
}
