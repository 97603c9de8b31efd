package memory

import (
	"encoding/json"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/tools"
)

// signatures are what the tools take, by their names.
var signatures = sync.OnceValue(func() map[string]*tools.Signature {
	all := map[string]*tools.Signature{}
	for _, tool := range offers() {
		all[tool.Name] = tools.NewSignature(tool.Schema)
	}
	return all
})

// Signature is what a tool takes, by its name; nil: there is no such tool.
func Signature(tool string) *tools.Signature { return signatures()[tool] }

// offers are the tools as models see them.
var offers = sync.OnceValue(func() []chat.Tool {
	const (
		types = `"types":{"type":"array","items":{"type":"string"},"description":"Only memories of these types."}`
		limit = `"limit":{"type":"integer","description":"How many at most."}`
	)
	tool := func(name, about, required, properties string) chat.Tool {
		schema := `{"type":"object","properties":{` + properties + `}`
		if required != "" {
			schema += `,"required":["` + required + `"]`
		}
		return chat.Tool{Name: Prefix + name, Description: about, Schema: json.RawMessage(schema + `}`)}
	}
	return []chat.Tool{
		tool("forget", "Deletes a memory.", "memory_id",
			`"memory_id":{"type":"string","description":"Id of the memory."}`),
		tool("list", "Lists memories, the oldest first.", "",
			types+`,`+limit+`,"offset":{"type":"integer","description":"How many to leave out at the beginning."}`),
		tool("recall", "Finds memories that have words in common with a query.", "query",
			`"query":{"type":"string","description":"What to look for; empty for all."},`+types+`,`+limit+
				`,"min_confidence":{"type":"number","description":"Only memories that are at least so sure, 0 to 1."}`),
		tool("remember", "Remembers something for later.", "content",
			`"content":{"type":"string","description":"What to remember."},`+
				`"type":{"type":"string","description":"What it is, such as preference or fact."},`+
				`"confidence":{"type":"number","maximum":1,"description":"How sure it is, 0 to 1."},`+
				`"category":{"type":"string","description":"Where it belongs."},`+
				`"metadata":{"type":"object","description":"Anything else about it."}`),
	}
})
