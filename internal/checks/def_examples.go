package checks

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// The examples are documentation and tests at once: each file lists inputs of one check with their outcomes.
//
//go:embed testdata/*.yaml
var exampleFiles embed.FS

// Example is an example of a check.
type Example struct {
	Name    string   `json:"name"`
	Check   string   `json:"check"`             // as YAML, as in a list of checks
	Context string   `json:"context,omitempty"` // the subject, as YAML
	Want    string   `json:"want"`              // passed, failed, error or skipped; refused when the file is invalid
	Score   *float64 `json:"score,omitempty"`
	Says    string   `json:"says,omitempty"` // a part of the explanation or of the problem
	Hint    string   `json:"hint,omitempty"`
}

// Refused is the outcome of an example with invalid parameters.
const Refused = "refused"

// Examples returns the examples of a check, in the order of their file.
func (d *Def) Examples() ([]Example, error) {
	list, err := d.exampleNodes(&diag.List{})
	if err != nil {
		return nil, err
	}
	out := make([]Example, len(list))
	for i, n := range list {
		if out[i], err = d.example(n); err != nil {
			return nil, fmt.Errorf("%s: example %d: %w", d.Name, i+1, err)
		}
	}
	return out, nil
}

// exampleFile is the path of the check's examples.
func (d *Def) exampleFile() string { return "testdata/" + d.Name + ".yaml" }

func (d *Def) exampleNodes(problems *diag.List) ([]*node.Node, error) {
	data, err := exampleFiles.ReadFile(d.exampleFile())
	if err != nil {
		return nil, err
	}
	docs := node.Parse(&node.Reader{File: d.exampleFile(), Diags: problems}, data)
	if len(docs) != 1 || docs[0].Kind != node.List {
		return nil, fmt.Errorf("%s: not a list of examples: %v", d.exampleFile(), problems.Sorted())
	}
	return docs[0].Content, nil
}

// The keys of an example that belong to the check and to the subject. The other keys are the expected outcome.
var (
	exampleCheckKeys = []string{"type", "params", "when"}
	exampleWantKeys  = []string{"name", "scope", "bare", "want", "score", "says", "problem", "hint"}
)

func (d *Def) example(n *node.Node) (Example, error) {
	var fields struct {
		Name, Want, Says, Problem, Hint string
		Score                           *float64
	}
	text, err := json.Marshal((&node.Reader{Diags: &diag.List{}}).Any(n))
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		return Example{}, err
	}
	x := Example{Name: fields.Name, Want: fields.Want, Score: fields.Score, Says: fields.Says, Hint: fields.Hint}
	if x.Want == "" {
		x.Want = Refused
	}
	check, err := picked(n, func(key string) bool { return slices.Contains(exampleCheckKeys, key) })
	if err != nil {
		return Example{}, err
	}
	if node.Get(n, "type") == nil {
		check = "type: " + d.Name + "\n" + check
	}
	x.Check = listItem(check)
	x.Context, err = picked(n, func(key string) bool {
		return !slices.Contains(exampleCheckKeys, key) && !slices.Contains(exampleWantKeys, key)
	})
	return x, err
}

// picked writes some keys of a mapping as YAML; "" if it has none of them.
func picked(n *node.Node, wanted func(key string) bool) (string, error) {
	some := node.Pick(n, wanted)
	if some == nil {
		return "", nil
	}
	return node.Text(some)
}

// listItem makes a mapping the only entry of a list.
func listItem(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if i > 0 && line != "" {
			lines[i] = "  " + line
		}
	}
	return "- " + strings.Join(lines, "\n") + "\n"
}
