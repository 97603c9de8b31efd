package generate

import (
	"path/filepath"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/recording"
)

// declarations finds checks in the files where their authors declared them: results of arena hold the position of a
// check instead of its parameters. Only files below the working directory are read.
type declarations struct {
	read  func(path string) ([]byte, error)
	files map[string]map[declaredAt]*node.Node
}

type declaredAt struct{ line, col int32 }

// check returns the mapping that declares a verdict's check. It returns nil when the position is not known, or when the
// file has changed and declares another check or none there.
func (d *declarations) check(a *recording.Verdict) *node.Node {
	at := a.Declared
	if at.Line == 0 || !filepath.IsLocal(at.File) {
		return nil
	}
	if d.files == nil {
		d.files = map[string]map[declaredAt]*node.Node{}
	}
	checks, known := d.files[at.File]
	if !known {
		checks = d.index(at.File)
		d.files[at.File] = checks
	}
	found := checks[declaredAt{at.Line, at.Col}]
	if found == nil || node.Get(found, "type").Value != a.Type {
		return nil
	}
	return found
}

// index finds every mapping with a type in a file, by its position.
func (d *declarations) index(path string) map[declaredAt]*node.Node {
	data, err := d.read(path)
	if err != nil {
		return nil
	}
	checks := map[declaredAt]*node.Node{}
	var walk func(n *node.Node)
	walk = func(n *node.Node) {
		if t := node.Get(n, "type"); t != nil && t.Kind == node.Scalar {
			checks[declaredAt{int32(t.Line), int32(t.Column)}] = n
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	for _, doc := range node.Parse(&node.Reader{File: path, Diags: &diag.List{}}, data) {
		walk(doc)
	}
	return checks
}
