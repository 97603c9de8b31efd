package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// freePlace is a map with free keys in some kind of file.
type freePlace struct {
	path   []string // keys from the root of the values; - is an entry of a list
	reader reader
}

// freePlaces finds them in the tables of all kinds of files.
func freePlaces() (found []freePlace) {
	seen := map[keys.Table]bool{}
	var walk func(path []string, s keys.Shape)
	walk = func(path []string, s keys.Shape) {
		add := func(r reader) { found = append(found, freePlace{slices.Clone(path), r}) }
		switch s := s.(type) {
		case anyShape:
			add(s.reader)
		case keys.Map:
			switch of := s.Value.(type) {
			case anyShape:
				add(of.reader)
			case keys.Text, writtenShape:
				add(nobody)
				if path[len(path)-1] == "annotations" {
					found[len(found)-1].reader = people
				}
			case keys.Table, keys.Map:
				walk(append(path, "1"), s.Value) // which turns may be called too
			default:
				add(nobody)
			}
		case keys.List:
			walk(append(path, "-"), s.Item)
		case keys.Table:
			if seen[s] {
				return
			}
			seen[s] = true
			if s.Open() {
				add(nobody)
			}
			for _, k := range s.Keys() {
				walk(append(path, k.Name), k.Shape)
			}
		}
	}
	for _, root := range roots() {
		walk([]string{root.Name}, root.Keys)
	}
	return found
}

// roots are the tables that are read on their own: parts that other tables read late come first.
func roots() []FileKind {
	var all []FileKind
	add := func(name string, of keys.Table) { all = append(all, FileKind{SchemaKind{Name: name}, "", of}) }
	add("metadata", metaFields)
	add("envelope", envelopeFields)
	add("tool", toolFields)
	add("provider", providerFields)
	add("mock replies", mockScenarioFields)
	add("pack prompt", packPromptFields)
	add("prompt", promptFields)
	add("workflow", workflowFields)
	add("composition", compositionFields)
	add("runtime", runtimeFields)
	return append(all, FileKinds()...)
}

// document is a flow map with a value at the place.
func (p freePlace) document(value string) string {
	text := value
	for i := len(p.path) - 1; i > 0; i-- {
		if p.path[i] == "-" {
			text = "[" + text + "]"
		} else {
			text = "{" + p.path[i] + ": " + text + "}"
		}
	}
	return text
}

// problems reads a document of the place's kind by itself and returns the codes of what is wrong.
func (p freePlace) problems(t *testing.T, value string) (codes []string) {
	t.Helper()
	d := &decoder{places: &pathBases{fs: &files{}}, getenv: func(string) (string, bool) { return "x", true }}
	d.Reader = node.Reader{File: "f.yaml", Diags: &diag.List{}, Lenient: true}
	for _, root := range node.Parse(&d.Reader, []byte(p.document(value))) {
		read(d, p.path[0], root)
	}
	for _, found := range d.Diags.Sorted() {
		if found.Severity == diag.Error {
			codes = append(codes, found.Code)
		}
	}
	return codes
}

// read reads a document by one of the roots.
func read(d *decoder, name string, n *node.Node) {
	switch name {
	case "tool":
		toolFields.read(d, n, &toolFile{Tool: &Tool{}})
	case "prompt":
		promptFields.read(d, n, &promptFile{Prompt: &Prompt{}})
	case "pack prompt":
		packPromptFields.read(d, n, &promptFile{Prompt: &Prompt{}})
	case "provider":
		providerFields.read(d, n, &providerFile{Provider: &Provider{}})
	default:
		at := slices.IndexFunc(roots(), func(k FileKind) bool { return k.Name == name })
		roots()[at].Keys.Check(d, n, name)
	}
}

// TestNoCheckStandsWhereNobodyReads puts the keys of checks into every map with free keys, in several shapes and
// depths. All of them must be refused, also leniently. In maps that tools and servers read, only a list of checks is
// recognised.
func TestNoCheckStandsWhereNobodyReads(t *testing.T) {
	t.Parallel()
	keys := []string{
		"assertions", "conversation_assertions", "turn_assertions", "checks", "when", "min_score", "max_score",
		"pass_threshold", "on_failure", "judge_gate", "fail_on", "validators", "guardrails", "evals", "pack_evals",
		"should_trigger", "conversationAssertions", "Conversation-Assertions",
	}
	list := "[{type: content_excludes, params: {patterns: [denied]}}]"
	places := freePlaces()
	if len(places) < 50 {
		t.Fatalf("only %d places were found", len(places))
	}
	for _, p := range places {
		where := strings.Join(p.path, ".")
		if p.reader == arena {
			continue
		}
		for _, key := range keys {
			values := []string{list, "content_excludes denied", "{type: contains}"}
			switch {
			case p.reader == others, p.reader == people && !strings.HasSuffix(snake(key), "assertions"):
				values = values[:1]
			}
			for _, v := range values {
				for _, in := range []string{"{%s: %s}", "{own: {%s: %s}}", "{own: [{%s: %s}]}"} {
					if in != "{%s: %s}" && v != list {
						continue
					}
					value := fmt.Sprintf(in, key, v)
					if codes := p.problems(t, value); !slices.Contains(codes, "misplaced-check") {
						t.Errorf("%s: %s is let in: %v", where, value, codes)
					}
				}
			}
		}
		for _, in := range []string{"{assertion: %s}", "{own: {expect: %s}}"} { // checks below any other key
			value := fmt.Sprintf(in, list)
			if codes := p.problems(t, value); slices.Contains(codes, "misplaced-check") == (p.reader == others) {
				t.Errorf("%s: %s: %v", where, value, codes)
			}
		}
		if codes := p.problems(t, "{own: mine}"); slices.Contains(codes, "misplaced-check") {
			t.Errorf("%s: a key of its own is refused: %v", where, codes)
		}
	}
}
