package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/scenario"
)

// evalRequestSchema and evalResultSchema are those of what workers read and write.
var (
	evalRequestSchema = scenario.SchemaKind{Name: "eval-request", About: "a request for evals, as arena worker reads it"}
	evalResultSchema  = scenario.SchemaKind{Name: "eval-result", About: "what an eval measured, as arena worker tells it"}
)

type schemaObject = map[string]any

// member is a field of a request or a result.
type member struct {
	name, doc string
	of        schemaObject
	optional  bool
}

func texted() schemaObject { return schemaObject{"type": "string"} }

// shared are the members that requests and results have in common.
func shared() []member {
	version := schemaObject{"const": dispatch.Version}
	labels := schemaObject{"type": "object", "additionalProperties": texted()}
	return []member{
		{"version", "Version of this format.", version, false},
		{"request_id", "The same for the same moment, however often it is sent.", texted(), false},
		{"run_id", "Groups the requests of whoever waits for their results.", texted(), true},
		{"session_id", "The conversation; samples are drawn by it.", texted(), false},
		{"scenario", "What the conversation is about, for results.", texted(), true},
		{"provider", "Who answers in it.", texted(), true},
		{"model", "The same.", texted(), true},
		{"region", "The same.", texted(), true},
		{"tags", "Words for results.", schemaObject{"type": "array", "items": texted()}, true},
		{"labels", "Names and values for results.", labels, true},
		{"moment", "After a turn, at the end, or all turns in their order and then the end.",
			schemaObject{"enum": []any{dispatch.Turn, dispatch.End, dispatch.Whole}}, false},
	}
}

func requestMembers() []member {
	messages := schemaObject{"type": "array", "minItems": 1, "items": schemaObject{"$ref": "#/$defs/message"}}
	index := schemaObject{"type": "integer", "minimum": 0}
	ids := schemaObject{"type": "array", "minItems": 1, "items": texted(), "uniqueItems": true}
	digests := schemaObject{"type": "object", "additionalProperties": texted()}
	return append(shared(),
		member{"prompt", "Task type of the prompt of the conversation; absent: the only one, or none.", texted(), true},
		member{"metadata", "What the host knows of the conversation, for evals that ask for it.",
			schemaObject{"type": "object"}, true},
		member{"workflow", "How far the conversation has come in one; absent: what its messages tell.",
			schemaObject{"$ref": "#/$defs/workflow"}, true},
		member{"states", "The states that speak with the prompt, whose evals judge what was said in them; absent: all.",
			schemaObject{"type": "array", "minItems": 1, "items": texted()}, true},
		member{"started", "When the conversation began (RFC 3339).", instant(), true},
		member{"turn", "Index of the turn, from 0; 0 at other moments.", index, true},
		member{"evals", "Ids of the evals that are to fire; absent: all that are due.", ids, true},
		member{"eval_digests", "What the evals measure, by their ids; workers refuse when their own differ.", digests, true},
		member{"messages", "The conversation up to the moment, the system prompt first.", messages, false},
	)
}

func resultMembers() []member {
	count := schemaObject{"type": "integer", "minimum": 1}
	return append(shared(),
		member{"result_id", "The same for the same request, eval and moment, whoever ran it.", texted(), false},
		member{"results_of_request", "How many results the request has.", count, false},
		member{"worker", "Who ran it.", texted(), true},
		member{"finished", "When it ended (RFC 3339).", instant(), false},
	)
}

func instant() schemaObject { return schemaObject{"type": "string", "format": "date-time"} }

// dispatchSchema is the JSON Schema of a request or a result. What these have in common with results.json is taken from
// there.
func dispatchSchema(kind scenario.SchemaKind) ([]byte, error) {
	var results struct {
		Defs map[string]schemaObject `json:"$defs"`
	}
	if err := json.Unmarshal(jsonout.Schema(), &results); err != nil {
		return nil, err
	}
	members := requestMembers()
	if kind.Name == evalResultSchema.Name {
		members = resultMembers()
	}
	properties, required := schemaObject{}, []any{}
	for _, m := range members {
		properties[m.name] = m.of
		m.of["description"] = m.doc
		if !m.optional {
			required = append(required, m.name)
		}
	}
	if kind.Name == evalResultSchema.Name {
		eval := results.Defs["eval_result"]
		maps.Copy(properties, eval["properties"].(schemaObject))
		required = append(required, eval["required"].([]any)...)
	} else {
		at := instant()
		at["description"] = "When it was said (RFC 3339)."
		results.Defs["message"]["properties"].(schemaObject)["at"] = at
	}
	return encodeSchema(schemaObject{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     "https://github.com/arena-evals/arena/" + kind.Name + ".schema.json",
		"title":   kind.Name + " of arena", "description": "What is exchanged with workers: " + kind.About + ".",
		"type": "object", "additionalProperties": false, "required": required, "properties": properties,
	}, results.Defs)
}

// encodeSchema adds the definitions that a schema refers to, and those that these refer to.
func encodeSchema(schema schemaObject, known map[string]schemaObject) ([]byte, error) {
	used := schemaObject{}
	ref := regexp.MustCompile(`"#/\$defs/([a-z_]+)"`)
	for before := -1; before != len(used); {
		before = len(used)
		text, err := json.Marshal([]any{schema, used})
		if err != nil {
			return nil, err
		}
		for _, m := range ref.FindAllSubmatch(text, -1) {
			used[string(m[1])] = known[string(m[1])]
		}
	}
	schema["$defs"] = used
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(schema)
	return b.Bytes(), err
}
