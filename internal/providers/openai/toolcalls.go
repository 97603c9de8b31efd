package openai

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// callPart is a tool call or a piece of one.
type callPart struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string   `json:"name"`
		Arguments *argText `json:"arguments"` // nil: null, or missing
	} `json:"function"`
}

// assembler puts tool calls together from the pieces of a stream. Its zero value is ready.
type assembler struct {
	open []*openCall // in the order in which they began
}

type openCall struct {
	index    int
	id, name string
	args     strings.Builder
	argued   bool // the arguments came, be they empty
}

// write adds a piece of the arguments.
func (c *openCall) write(piece *argText) {
	if piece != nil {
		c.argued = true
		c.args.WriteString(string(*piece))
	}
}

// add takes the next piece. The index says which call it belongs to. Servers that give no index, or the same one to
// every call, send each call whole: then a piece that names a function while its call has one already begins another.
func (a *assembler) add(p callPart) {
	c := a.find(p.Index)
	if c == nil || c.complete(p) {
		a.begin(p)
		return
	}
	repeated := p.ID != "" && p.ID == c.id
	if !repeated {
		c.id += p.ID
	}
	if !repeated || p.Function.Name != c.name {
		c.name += p.Function.Name
	}
	c.write(p.Function.Arguments)
}

// begin begins a call.
func (a *assembler) begin(p callPart) {
	c := &openCall{index: len(a.open), id: p.ID, name: p.Function.Name}
	if p.Index != nil {
		c.index = *p.Index
	}
	c.write(p.Function.Arguments)
	a.open = append(a.open, c)
}

func (a *assembler) find(index *int) *openCall {
	for _, c := range slices.Backward(a.open) {
		if index == nil || c.index == *index {
			return c
		}
	}
	return nil
}

// complete reports whether p begins another call although it has the place of c.
func (c *openCall) complete(p callPart) bool {
	if p.Function.Name == "" || c.name == "" {
		return false
	}
	if p.ID != "" && c.id != "" {
		return p.ID != c.id
	}
	return c.args.Len() > 0
}

var errNoName = errors.New("the reply calls a tool without a name")

// calls are the finished calls by their index. A call that came without an id gets one that no other call of the
// conversation has; position is the number of messages before the reply. unargued is told of those without arguments.
func (a *assembler) calls(position int, unargued func(name string)) ([]chat.ToolCall, error) {
	if len(a.open) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(a.open, func(x, y *openCall) int { return cmp.Compare(x.index, y.index) })
	out := make([]chat.ToolCall, len(a.open))
	for i, c := range a.open {
		if c.name == "" {
			return nil, errNoName
		}
		if c.id == "" {
			c.id = fmt.Sprintf("call_%d_%d", position, i)
		}
		if !c.argued {
			unargued(c.name)
		}
		out[i] = chat.ToolCall{ID: c.id, Name: c.name}
		out[i].SetArgs(c.args.String())
	}
	return out, nil
}
