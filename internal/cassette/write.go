package cassette

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
)

// encode returns the file of a cassette. Equal exchanges give equal bytes, in whatever order they ended.
func encode(id string, c *contents) ([]byte, error) {
	entries := c.entries
	slices.SortStableFunc(entries, func(a, b *entry) int { return a.position.compare(b.position) })
	doc := document{
		Version: Version, Trial: id, Simulated: c.simulated, CheckedBy: c.checkedBy,
		Redacted: c.redacted, Exchanges: make([]exchange, len(entries)),
	}
	var lines exchangeWriter
	for i, e := range entries {
		var err error
		if doc.Exchanges[i], err = lines.exchange(e); err != nil {
			return nil, err
		}
	}
	doc.Tools = lines.defined.list
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(&doc)
	return b.Bytes(), err
}

// exchangeWriter converts exchanges to the form of a file, in their order.
type exchangeWriter struct {
	before  []message // of the last model request
	defined definitions
}

// exchange converts an exchange, without the messages and tools that are earlier in the file.
func (s *exchangeWriter) exchange(e *entry) (x exchange, err error) {
	x = exchange{Kind: e.kind, At: e.at, Request: e.request, Reply: e.reply, Error: e.failure, LatencyMS: e.latency}
	if q, ok := e.request.(*modelRequest); ok {
		short := *q
		short.AsBefore = commonPrefix(s.before, q.Messages)
		short.Messages, s.before = q.Messages[short.AsBefore:], q.Messages
		short.Tools, err = s.defined.refer(e.tools)
		x.Request = &short
	}
	return x, err
}

// commonPrefix is the number of leading messages that are equal.
func commonPrefix(a, b []message) int {
	n := 0
	for n < len(a) && n < len(b) && reflect.DeepEqual(a[n], b[n]) {
		n++
	}
	return n
}
