package scenario

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// SchemaFor names the schema for a document, as the loader tells its kind; "" when it cannot.
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
	for _, k := range fileKinds() {
		if k.enveloped == found && found != "" {
			return k.Name
		}
	}
	return ""
}

// SchemaTextProblems lists the descriptions of keys that do not exist, and those that are no sentences.
func SchemaTextProblems() (problems []string) {
	for f, texts := range keyTexts() {
		for key, text := range texts {
			if keys.Find(key, f.Keys()) == nil {
				problems = append(problems, fmt.Sprintf("%s has no key %q", f.Title(), key))
			}
			if end := text[len(text)-1:]; end != "." && !strings.HasSuffix(text, "}}.") && end != "}" {
				problems = append(problems, fmt.Sprintf("%s, %q: %q is no sentence", f.Title(), key, text))
			}
		}
	}
	return problems
}
