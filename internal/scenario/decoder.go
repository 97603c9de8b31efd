package scenario

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// decoder reads one file into typed values. It belongs to one goroutine.
type decoder struct {
	node.Reader
	compile func(c *Check, d *diag.List) // nil: checks are not compiled
	places  *pathBases
	getenv  func(string) (string, bool)
	// recorded says that the recordings of evals come from elsewhere.
	recorded  bool
	skipEvals bool
	// keepWritten says that scenarios keep their source.
	keepWritten bool
	// uncertain says that an uncertain judge lets a scenario with run_command pass.
	uncertain bool
	split     int // number of documents in the file

	vars          map[string]string // of the prompt_configs entry that names the file
	packFragments map[string]string // for prompts outside the pack

	refs      []reference     // names of resources elsewhere in the project
	later     []Feature       // requested features that arena does not have yet
	late      []lateCheck     // whose type another file may declare
	opens     []*OpenCheck    // with placeholders
	given     []givenVariable // variables, with their positions
	named     []string        // variables in names and paths of files
	tags      []selectable
	calls     []MockCallUse // see mockUses
	mockSteps []mockName    // of compositions, in mock replies
}

// pathBases are the folders to which the paths of a project are relative.
type pathBases struct {
	fs     *files
	config string // folder of the arena config, or of the command line
	run    string // base of paths at run time: config, or defaults.config_dir
}

// reference is a name in a file that must exist elsewhere in the project.
type reference struct {
	to    referenceKind
	name  string
	pos   diag.Pos
	width int
}

// referenceKind is the kind of thing that a reference names.
type referenceKind uint8

const (
	toProvider referenceKind = iota
	toGroup
	toPersona
	toRole     // of a turn
	toTool     // in rules for tools, which otherwise have no effect
	toOffered  // in a list of offered tools, where a trailing * matches any end
	toFailing  // in a rule for failing tools, also with a trailing *
	toTask     // a prompt by its task type
	toPromptID // a prompt by its id in the config, or by its task type
	toComposition
	toEval // of a pack or of pack_evals
)

// refer adds a reference, which is resolved when the whole project is loaded.
func (d *decoder) refer(to referenceKind, n *node.Node) {
	if n == nil || n.Kind != node.Scalar || node.IsNull(n) {
		return // a value of the wrong type has been reported
	}
	if tool := to == toTool || to == toOffered || to == toFailing; tool && !d.IsPlainName(n, "tool", to != toTool) {
		return
	}
	d.refs = append(d.refs, reference{to: to, name: n.Value, pos: d.Pos(n), width: utf8.RuneCountInString(n.Value)})
}

// referAll adds a reference for each text of a list.
func (d *decoder) referAll(to referenceKind, n *node.Node) {
	if n.Kind == node.Scalar {
		d.refer(to, n)
	}
	for _, v := range n.Content {
		d.refer(to, v)
	}
}

// need adds a feature that arena does not have yet.
func (d *decoder) need(name string, at *node.Node, scope Feature) {
	scope.Name, scope.Pos = name, d.Pos(at)
	d.later = append(d.later, scope)
}

// runtimePath resolves a path for use at run time: relative to the config folder (or defaults.config_dir), else to the
// working directory. found is false if the file is in neither; the path is then the first of them.
func (d *decoder) runtimePath(path string) (resolved string, found bool) {
	if filepath.IsAbs(path) {
		return path, d.places.fs.exists(path)
	}
	first := filepath.Join(d.places.run, path)
	for _, p := range []string{first, filepath.Join(d.places.config, path), path} {
		if d.places.fs.exists(p) {
			return p, !d.places.fs.outside(p)
		}
	}
	return first, false
}

// projectPath is runtimePath for a file that is sent to others. It does not use the working directory: a project that
// runs on another machine does not mean files there.
func (d *decoder) projectPath(path string) (resolved string, found bool) {
	resolved, found = d.runtimePath(path)
	first, second := filepath.Join(d.places.run, path), filepath.Join(d.places.config, path)
	if found && !filepath.IsAbs(path) && resolved != first && resolved != second {
		return first, false
	}
	return resolved, found
}

// present resolves a path for use at run time. It reports a missing file and returns "".
func (d *decoder) present(at *node.Node, name string) string {
	path, found := d.runtimePath(name)
	if found {
		return path
	}
	why := d.missingFile(name)
	d.Errorf(at, why.code, "%s", why.msg).Hint = why.hint
	return ""
}

// missingFile is the problem of a file that runtimePath does not find.
func (d *decoder) missingFile(name string) *problem {
	return d.missingIn(name, d.places.run, d.places.config, ".")
}

// missingIn is the problem of a file that is in none of the searched folders. It lists them, and says what to write if
// the file is beside the one that names it.
func (d *decoder) missingIn(name string, searched ...string) *problem {
	fs, run := d.places.fs, d.places.run
	path, _ := d.runtimePath(name)
	why := fs.missing(path)
	if filepath.IsAbs(name) || fs.outside(path) {
		return why
	}
	if beside := d.besides(name); fs.exists(beside) {
		if from, err := fs.rel(run, beside); err == nil {
			why.hint = fmt.Sprintf("it is beside this file, but paths like this start at %s: write %q",
				folder(run), filepath.ToSlash(from))
			return why
		}
	}
	if why.hint == "" {
		var looked []string
		for _, dir := range searched {
			if named := folder(dir); !slices.Contains(looked, named) {
				looked = append(looked, named)
			}
		}
		why.hint = "searched from " + strings.Join(looked, ", then ")
	}
	return why
}

// folder names a folder in messages.
func folder(dir string) string {
	if dir == "" || dir == "." {
		return "the working directory"
	}
	return filepath.ToSlash(dir)
}

// foreignSeverity is the severity of content that other tools allow.
func (d *decoder) foreignSeverity() diag.Severity {
	if d.Lenient {
		return diag.Warning
	}
	return diag.Error
}
