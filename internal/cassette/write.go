package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	for i, e := range entries {
		x := exchange{Kind: e.kind, At: e.at, Request: e.request, Reply: e.reply, Error: e.failure, LatencyMS: e.latency}
		if q, ok := e.request.(*modelRequest); ok {
			short := *q
			short.AsBefore = commonPrefix(before, q.Messages)
			short.Messages, before = q.Messages[short.AsBefore:], q.Messages
			x.Request = &short
			if err := doc.addTools(e.tools); err != nil {
				return nil, err
			}
		}
		doc.Exchanges[i] = x
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(&doc)
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

// addTools adds the definitions of tools.
func (d *document) addTools(offered []tool) error {
	for _, t := range offered {
		at := slices.IndexFunc(d.Tools, func(known tool) bool { return known.Name == t.Name })
		switch {
		case at < 0:
			d.Tools = append(d.Tools, t)
		case !reflect.DeepEqual(d.Tools[at], t):
			return fmt.Errorf("the tool %s is offered with two definitions in one trial", t.Name)
		}
	}
	return nil
}
