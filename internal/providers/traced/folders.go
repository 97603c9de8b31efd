package traced

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/spans"
)

// folders gives each trial a folder for its traces. All of them are in one folder. One that was left empty is renamed
// for another trial: to remove it and make a new one takes file systems much longer. Its methods are not called
// concurrently.
type folders struct {
	root  string // "": not made yet
	made  int
	empty []string // marked as that
	keep  func()   // ends that they are removed when this process is killed
}

// get returns an empty folder under a new name.
func (f *folders) get() (path string, err error) {
	if f.root == "" {
		if f.root, err = os.MkdirTemp("", "arena-traces-"); err != nil {
			return "", err
		}
		f.keep = process.AtEnd(&process.Command{Path: "rm", Args: []string{"-rf", "--", f.root}})
	}
	f.made++
	path = filepath.Join(f.root, strconv.Itoa(f.made))
	if n := len(f.empty); n > 0 {
		used := f.empty[n-1]
		f.empty = f.empty[:n-1]
		if os.Rename(used, path) == nil {
			if spans.Untouched(path) {
				return path, nil
			}
			f.made++ // somebody wrote into it up to the renaming, which is of no trial any more
			path = filepath.Join(f.root, strconv.Itoa(f.made))
		}
	}
	if err = os.Mkdir(path, 0o700); errors.Is(err, fs.ErrNotExist) { // somebody has tidied up
		err = os.MkdirAll(path, 0o700)
	}
	if err == nil {
		_ = spans.MarkEmpty(path) // without the mark it is listed, and made anew for another trial
	}
	return path, err
}

// tidy removes a folder into which something was written. It reports whether another trial can have the folder.
func tidy(path string) (unused bool, err error) {
	if spans.Untouched(path) {
		return true, nil
	}
	return false, os.RemoveAll(path)
}

// remove removes all folders.
func (f *folders) remove() error {
	if f.root == "" {
		return nil
	}
	defer f.keep()
	root := f.root
	f.root, f.made, f.empty = "", 0, nil
	return os.RemoveAll(root)
}
