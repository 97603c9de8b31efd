package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// JSON encodes a value for a request.
func JSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Merge adds parameters to an encoded request, and replaces those with the same name, except those for which kept
// returns true.
func Merge(data []byte, extra jsonvalue.Object, kept func(name string) bool) ([]byte, error) {
	if len(extra) == 0 {
		return data, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for name, v := range extra {
		if kept(name) {
			continue
		}
		raw, err := JSON(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = raw
	}
	return JSON(all)
}
