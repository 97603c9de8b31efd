package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/secret"
)

// newFile is a file to write.
type newFile struct{ path, text string }

// scrubbed removes secrets from YAML files. A replaced value stays a text.
func (a *App) scrubbed(files []newFile) ([]newFile, error) {
	out := slices.Clone(files)
	for i := range out {
		r := &node.Reader{File: out[i].path, Diags: &diag.List{}}
		docs := node.Parse(r, []byte(out[i].text))
		if r.Diags.Errors() > 0 || len(docs) != 1 {
			return nil, fmt.Errorf("%s would be no YAML that arena reads", out[i].path)
		}
		found, key := a.scrub(docs[0])
		if key != "" {
			return nil, fmt.Errorf("%s would have the key %q: without the secret in it the file would mean something else\n"+
				"call the key otherwise where it comes from, or unset the variable for arena", out[i].path, key)
		}
		if !found {
			continue
		}
		text, err := node.Text(docs[0])
		if err != nil {
			return nil, err
		}
		out[i].text = text
	}
	return out, nil
}

// scrub removes secrets from a document and reports whether it found any. Keys that look like names stay unchanged;
// badKey is the first other key with a secret.
func (a *App) scrub(n *node.Node) (found bool, badKey string) {
	for _, text := range []*string{&n.Value, &n.HeadComment, &n.LineComment, &n.FootComment} {
		if clean := a.secrets.Text(*text); clean != *text {
			*text, found = clean, true
		}
	}
	for i, inner := range n.Content {
		key := ""
		if n.Kind == node.Map && i%2 == 0 {
			key = inner.Value
		}
		inside, bad := a.scrub(inner)
		if key != "" && inner.Value != key && !secret.IsWords(key) {
			bad = inner.Value
		} else if key != "" {
			inner.Value = key
		}
		found, badKey = found || inside, cmp.Or(badKey, bad)
	}
	return found, badKey
}

// printFiles prints the files. If there are several, each has its path above it.
func printFiles(w io.Writer, files []newFile) error {
	for i, file := range files {
		if file.path != "" {
			if i > 0 {
				file.path = "\n# " + file.path
			} else {
				file.path = "# " + file.path
			}
			if _, err := fmt.Fprintln(w, file.path); err != nil {
				return broken(err)
			}
		}
		if _, err := io.WriteString(w, file.text); err != nil {
			return broken(err)
		}
	}
	return nil
}

// writeNew writes files. Without force it refuses to overwrite any. It never overwrites files that the command has
// read.
func writeNew(files []newFile, force bool, read []string) error {
	for _, file := range files {
		if slices.ContainsFunc(read, func(path string) bool { return sameFile(path, file.path) }) {
			return fmt.Errorf("%s would be overwritten, which this command reads\nwrite to another place with -o", file.path)
		}
		switch info, err := os.Lstat(file.path); {
		case err != nil:
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is there and is not a regular file", file.path)
		case !force:
			return fmt.Errorf("%s is there already\n--force overwrites it", file.path)
		}
	}
	for _, file := range files {
		if err := plainfile.MakeDir(filepath.Dir(file.path)); err != nil {
			return broken(err)
		}
		err := harness.WriteAtomic(file.path, func(w io.Writer) error {
			_, err := io.WriteString(w, file.text)
			return err
		})
		if err != nil {
			return broken(err)
		}
	}
	return nil
}
