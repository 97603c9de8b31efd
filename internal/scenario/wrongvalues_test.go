package scenario

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
)

// wrongFor is a value that is wrong for a key, by its shape; nil: any is right, or somebody else reads it.
func wrongFor(s keys.Shape) any {
	switch s := s.(type) {
	case keys.Text, keys.Words, keys.Bool, keys.Span, keys.Number:
		return []any{map[string]any{"sample": "x"}}
	case keys.List:
		if s.Single {
			return []any{map[string]any{"a": "x"}}
		}
		return "two words"
	case keys.Map:
		if _, raw := s.Value.(anyShape); raw {
			return nil
		}
		return "two words"
	case keys.Table:
		return []any{"two words"}
	}
	return nil
}

// readLater are keys whose values are read when all of their map is known; their messages say what they must be.
var readLater = []string{
	"metric.type", "predicate.all_of", "predicate.any_of", "http.method", "transport", "auth.token", "arena config.runtime",
	"a pack.prompts", "recording.path", "an MCP server.command", "an MCP server.source",
}

// untold are blocks that as a whole are refused, and keys whose values others read.
var untold = []string{"runtime.providers", "a pack.$schema", "a turn.mock", "the mock replies.summaries", "params"}

// No value of a wrong form is taken silently, and each message says what to write.
func TestWrongValuesAreToldWhatToWrite(t *testing.T) {
	t.Parallel()
	for _, root := range keyRoots() {
		t.Run(root.name, func(t *testing.T) {
			t.Parallel()
			k := newKeyTry(t)
			w := newSchemaWriter(nil)
			w.Table(root.table)
			for _, s := range settings(&root) {
				wrong := wrongFor(s.key.Shape)
				place := strings.Join(s.path, ".") + " " + s.table.Title() + "." + s.key.Name
				if wrong == nil || s.key.Wrong != "" ||
					slices.ContainsFunc(untold, func(part string) bool { return strings.Contains(place, part) }) {
					continue
				}
				doc := parsed(t, root.file)
				at := s.put(w, doc)
				if mode := keyMode[s.key.Name]; mode != "" && s.table == keys.Table(toolFields) {
					at["mode"] = mode
				}
				at[s.key.Name] = wrong
				var said []diag.Diagnostic
				all := k.problems(&root, doc)
				for _, d := range all {
					if d.Code == "wrong-type" {
						said = append(said, d)
					}
				}
				if len(said) == 0 && !slices.ContainsFunc(all, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }) {
					t.Errorf("%s: %v is taken without a word", &s, wrong)
				}
				for _, d := range said {
					late := slices.ContainsFunc(readLater, func(part string) bool { return strings.Contains(place, part) })
					if d.Hint == "" && !late {
						t.Errorf("%s: %v: nobody says what to write: %s", &s, wrong, d.Line())
					}
				}
			}
		})
	}
}

// problems are those of the project with one of its files changed.
func (k *keyTry) problems(root *keyRoot, doc any) []diag.Diagnostic {
	k.t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.dir, root.file), text, 0o600); err != nil {
		k.t.Fatal(err)
	}
	_, diags := Load(Options{Dir: k.dir})
	return diags.Sorted()
}
