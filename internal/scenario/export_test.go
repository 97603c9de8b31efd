package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// SchemaFor names the schema for a document, as the loader detects its kind; "": unknown.
func SchemaFor(root *node.Node) string {
	found := recognise(root)
	if k := node.Get(root, "kind"); k != nil {
		found = kind(k.Value)
	}
	switch found {
	case kindMock:
		return "mock"
	case kindPack:
		return "pack"
	case kindFragment:
		return "fragment"
	}
	for _, k := range FileKinds() {
		if k.Kind == string(found) && found != "" {
			return k.Name
		}
	}
	return ""
}

// SchemaTextProblems lists descriptions of keys that are not sentences.
func SchemaTextProblems() (problems []string, found int) {
	met := map[string]bool{}
	for _, root := range keyRoots() {
		for _, at := range settings(&root) {
			text := at.key.Doc
			if text == "" || met[at.String()] {
				continue
			}
			met[at.String()] = true
			if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "}") {
				problems = append(problems, fmt.Sprintf("%s: %q is no sentence", &at, text))
			}
		}
	}
	return problems, len(met)
}

// ShownParams are the parameters that are shown to judges or people.
func ShownParams() []string { return slices.Clone(shownParams) }

// PromptKeys are the keys of prompts that personas do not have.
func PromptKeys() []string {
	return slices.DeleteFunc(promptFields.names(), func(key string) bool { return !onlyInPrompts(key) })
}

// WrittenKeys are the keys that distinguish a scenario with messages from a recording.
func WrittenKeys() []string { return slices.Clone(writtenKeys) }
