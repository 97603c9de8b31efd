package cassette

import (
	"bytes"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// unchanged reports whether two cassettes are equal except for what differs in every run: durations, chunks, retries
// and ids of calls.
func unchanged(before, after []byte) bool {
	a, errA := chat.DecodeJSON(before)
	b, errB := chat.DecodeJSON(after)
	if errA != nil || errB != nil {
		return false
	}
	x, errX := compact(normalize(a, map[string]string{}))
	y, errY := compact(normalize(b, map[string]string{}))
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// normalize removes what differs in every run. Ids become numbers.
func normalize(v any, ids map[string]string) any {
	switch v := v.(type) {
	case jsonvalue.Object:
		return normalizeObject(v, ids)
	case []any:
		for i := range v {
			v[i] = normalize(v[i], ids)
		}
	}
	return v
}

// normalizeObject handles objects of the format. Arguments of calls and other free values are compared as they are.
func normalizeObject(v jsonvalue.Object, ids map[string]string) any {
	for _, key := range []string{"latency_ms", "chunks", "retries", "cached"} {
		delete(v, key)
	}
	for _, key := range []string{
		"request", "messages", "reply", "tool_calls", "tool_results", "tool_result", "exchanges",
	} {
		if member, there := v[key]; there {
			v[key] = normalize(member, ids)
		}
	}
	if id, ok := v["id"].(string); ok && id != "" {
		if ids[id] == "" {
			ids[id] = fmt.Sprintf("call %d", len(ids)+1)
		}
		v["id"] = ids[id]
	}
	return v
}
