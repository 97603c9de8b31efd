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
		Version: Version, Trial: id, Simulated: c.simulated, Redacted: c.redacted,
		Exchanges: make([]exchange, len(entries)),
	}
	var before []message
	var defined definitions
	var err error
	for i, e := range entries {
		x := exchange{Kind: e.kind, At: e.at, Request: e.request, Reply: e.reply, Error: e.failure, LatencyMS: e.latency}
		if q, ok := e.request.(*modelRequest); ok {
			short := *q
			short.AsBefore = commonPrefix(before, q.Messages)
			short.Messages, before = q.Messages[short.AsBefore:], q.Messages
			if short.Tools, err = defined.refer(e.tools); err != nil {
				return nil, err
			}
			x.Request = &short
		}
		doc.Exchanges[i] = x
	}
	doc.Tools = defined.list
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(&doc)
	return b.Bytes(), err
}

// commonPrefix is the number of leading messages that are equal.
func commonPrefix(a, b []message) int {
	n := 0
	for n < len(a) && n < len(b) && reflect.DeepEqual(a[n], b[n]) {
		n++
	}
	return n
}
