package checks

import (
	"errors"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// contextParams say where the retrieved chunks are. The first source with a chunk is used.
type contextParams struct {
	Contexts        chunkList    `param:"contexts" is:"prose" doc:"The retrieved chunks."`
	Context         chunkList    `param:"context" is:"prose" doc:"The one retrieved chunk."`
	ContextField    requiredText `param:"context_field" is:"name" doc:"Key of the metadata that holds the chunks: a list or a text."`
	ContextFromTool requiredText `param:"context_from_tool" is:"tool" doc:"Tool that retrieves: what its calls return is the chunks."`
}

var contextNames = []string{"contexts", "context", "context_field", "context_from_tool"}

// contextSource finds the chunks of a subject.
type contextSource struct {
	chunks      []string // chunks in the file; empty: another source
	field, tool string
}

// contextSource reads the parameters; nil after a problem.
func (b *binder) contextSource(p *contextParams) *contextSource {
	src := &contextSource{chunks: p.Contexts, field: string(p.ContextField), tool: string(p.ContextFromTool)}
	if len(src.chunks) == 0 {
		src.chunks = p.Context
	}
	if len(src.chunks) == 0 && src.field == "" && src.tool == "" {
		given := "contexts"
		if b.read[given] == nil {
			given = "context"
		}
		b.errorf(given, "empty-value", "%s is empty", given).Hint = "give the chunks, or name where they are with " +
			"context_field or context_from_tool"
		return nil
	}
	return src
}

// exhibits are the chunks, numbered from 1.
func (c *contextSource) exhibits(s *Subject) ([]grading.Exhibit, error) {
	chunks, err := c.find(s)
	if err != nil {
		return nil, err
	}
	exhibits := make([]grading.Exhibit, len(chunks))
	for i, text := range chunks {
		exhibits[i] = grading.Show(fmt.Sprintf("chunk %d of %d", i+1, len(chunks)), text)
	}
	return exhibits, nil
}

func (c *contextSource) find(s *Subject) ([]string, error) {
	if len(c.chunks) > 0 {
		return c.chunks, nil
	}
	var problems []string
	if c.field != "" {
		if chunks := chunksOf(s.Metadata[c.field]); len(chunks) > 0 {
			return chunks, nil
		}
		problems = append(problems, fmt.Sprintf("the metadata has no chunks under %q", c.field))
	}
	if c.tool != "" {
		if chunks := toolChunks(s.Calls, c.tool); len(chunks) > 0 {
			return chunks, nil
		}
		problems = append(problems, fmt.Sprintf("no call of %q returned any chunk", c.tool))
	}
	return nil, fmt.Errorf("there is no context to judge by: %s", strings.Join(problems, ", and "))
}

// chunksOf returns a value as chunks: each item of a list, or the value itself.
func chunksOf(v any) (chunks []string) {
	switch x := v.(type) {
	case nil:
	case []any:
		for _, item := range x {
			chunks = addChunk(chunks, item)
		}
	case []string:
		for _, item := range x {
			chunks = addChunk(chunks, item)
		}
	default:
		chunks = addChunk(chunks, x)
	}
	return chunks
}

// addChunk adds a value as text, unless it is empty.
func addChunk(chunks []string, v any) []string {
	if v == nil {
		return chunks
	}
	text := jsonvalue.Text(v)
	if strings.TrimSpace(text) == "" {
		return chunks
	}
	return append(chunks, text)
}

// chunkFields are the fields in which search tools return their list of chunks.
var chunkFields = []string{"chunks", "contexts", "documents", "hits", "matches", "passages", "results"}

// toolChunks returns the chunks in the results of a tool. In a JSON list, bare or in one of chunkFields, each item is a
// chunk; any other result is one chunk.
func toolChunks(calls []Call, tool string) (chunks []string) {
	for i := range calls {
		c := &calls[i]
		if c.Name != tool || c.Failed() {
			continue
		}
		text := c.Text()
		v, ok := structured(text)
		if !ok {
			chunks = addChunk(chunks, text)
			continue
		}
		if fields, wrapped := v.(map[string]any); wrapped {
			for _, name := range chunkFields {
				if list, found := fields[name].([]any); found {
					v = list
					break
				}
			}
		}
		chunks = append(chunks, chunksOf(v)...)
	}
	return chunks
}

// chunkList is a parameter with a text or a list of texts. It may be empty, because another parameter may hold the
// chunks.
type chunkList []string

func (l *chunkList) take(b *binder, n *node.Node, _ string) bool {
	before := b.r.Diags.Errors()
	*l = chunksOf(b.r.Any(n))
	return b.r.Diags.Errors() == before
}

func (*chunkList) shape() keys.Shape {
	return keys.Own{Words: "list of text", Doc: jsonschema.Doc{Type: jsonschema.Types{"string", "array", "null"}}}
}

// questionParam is the question that the reply or the chunks should be relevant to.
type questionParam struct {
	Question requiredText `param:"question" is:"prose" doc:"Else what the user asked last, over a conversation all."`
}

// exhibits are the given question, or that of the turn, or all questions of the conversation.
func (p questionParam) exhibits(s *Subject) ([]grading.Exhibit, error) {
	asked := []string{string(p.Question)}
	if p.Question == "" {
		asked = questions(s)
	}
	if len(asked) == 0 {
		return nil, errors.New("there is no question to judge by: the user wrote nothing, and the parameter " +
			"question is not given")
	}
	exhibits := make([]grading.Exhibit, len(asked))
	for i, text := range asked {
		exhibits[i] = grading.Show(numbered("question", i, len(asked)), text)
	}
	return exhibits, nil
}

// questions are what the user wrote: all of it in session scope, else the last message.
func questions(s *Subject) (texts []string) {
	for i := range s.Messages {
		m := &s.Messages[i]
		if m.Role != chat.User {
			continue
		}
		if !s.Session {
			texts = nil
		}
		if text := m.Text(); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// answered puts each answer after its question.
func (p questionParam) answered(s *Subject) ([]grading.Exhibit, error) {
	asked, err := p.exhibits(s)
	if err != nil {
		return nil, err
	}
	answers := replyExhibits(s, "answer")
	if len(asked) == 1 {
		return append(asked, answers...), nil
	}
	var talk []grading.Exhibit
	for i := range s.Messages {
		m := &s.Messages[i]
		switch blank := strings.TrimSpace(m.Text()) == ""; {
		case blank:
		case m.Role == chat.User:
			talk, asked = append(talk, asked[0]), asked[1:]
		case m.Role == chat.Assistant:
			talk, answers = append(talk, answers[0]), answers[1:]
		}
	}
	return append(talk, answers...), nil
}
