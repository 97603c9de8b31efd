package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// salvage counts the usage in a document that a Decoder could not read: it was cut, has fields of the wrong type or
// trailing text, or reports an error. Earlier counts are kept.
func (c *Call) salvage(data []byte, before receivedPart) {
	s := salvaged{dec: json.NewDecoder(bytes.NewReader(chat.WithoutBOM(data)))}
	s.dec.UseNumber()
	if s.value("", place{}) != nil && s.writing { // the document was cut within the model's output
		s.size += len(data) - int(s.dec.InputOffset())
	}
	if c.wordless {
		s.size = 0
	}
	if c.received.size == before.size && (s.begun || s.size > 0) {
		c.Came(s.size)
	}
	if c.received.odd != "" || !c.received.usage.Counted() {
		return
	}
	u := c.received.usage
	if s.input > u.InputTokens {
		u.InputTokens, u.Estimated = s.input, u.Estimated || s.odd
	}
	if output := max(s.output, s.sum-u.InputTokens); output > u.OutputTokens {
		u.OutputTokens, u.Estimated = output, u.Estimated || s.odd
	}
	if u != c.received.usage {
		c.Count(u)
	}
}

// salvaged holds the counts that could be read from a document of any API.
type salvaged struct {
	dec                *json.Decoder
	input, output, sum int
	odd                bool // a count was not a valid number of tokens
	size               int  // bytes of the model's output
	begun              bool // the document has a field for a reply
	writing            bool // within the model's output
}

// place says which kind of field a value belongs to.
type place struct{ usage, words, failed bool }

// value reads the next value, which is the value of the named field.
func (s *salvaged) value(name string, at place) error {
	token, err := s.dec.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		return s.inside(v, name, at)
	case string:
		if at.words && !at.failed {
			s.size += len(v)
		}
		if at.usage {
			s.count(name, v)
		}
	case json.Number:
		if at.usage {
			s.count(name, v.String())
		}
	}
	return nil
}

// inside reads the values of a list or an object.
func (s *salvaged) inside(open json.Delim, name string, at place) error {
	for s.dec.More() {
		name, inner := name, at
		if open == '{' {
			key, err := s.dec.Token()
			if err != nil {
				return err
			}
			name, _ = key.(string)
			inner = s.under(name, at)
		}
		s.writing = inner.words && !inner.failed
		if err := s.value(name, inner); err != nil {
			return err
		}
		s.writing = false
	}
	_, err := s.dec.Token()
	return err
}

// under returns the place of the fields within a field.
func (s *salvaged) under(name string, at place) place {
	switch name {
	case "choices", "candidates", "output", "data":
		s.begun = s.begun || !at.failed
	case "usage", "usageMetadata":
		at.usage = true
	case "error":
		at.failed = true
	case "content", "text", "refusal", "arguments", "input", "args", "delta", "reasoning", "reasoning_content",
		"thinking", "partial_json":
		at.words = true
	case "type", "role", "id", "call_id", "status":
		at.words = false
	}
	return at
}

// count adds a number of tokens. Fractions are rounded up, and other values count as 0.
func (s *salvaged) count(name, text string) {
	into := &s.input
	switch name {
	case "prompt_tokens", "input_tokens", "promptTokenCount", "toolUsePromptTokenCount", "cache_read_input_tokens",
		"cache_creation_input_tokens":
	case "completion_tokens", "output_tokens", "candidatesTokenCount", "thoughtsTokenCount":
		into = &s.output
	case "total_tokens":
		into = &s.sum
	default:
		return
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !chat.Tokens(n) {
		s.odd = true
		return
	}
	s.odd = s.odd || n != math.Trunc(n)
	*into += int(math.Ceil(n))
}
