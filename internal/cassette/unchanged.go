package cassette

import (
	"bytes"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
)

// unchanged says whether two cassettes hold the same but for what is another in every run: how long things took, how a
// reply streamed in, how often it was tried, and the ids of calls.
func unchanged(was, is []byte) bool {
	a, errA := chat.DecodeJSON(was)
	b, errB := chat.DecodeJSON(is)
	if errA != nil || errB != nil {
		return false
	}
	x, errX := compact(steady(a, map[string]string{}))
	y, errY := compact(steady(b, map[string]string{}))
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// steady is a value without what changes from run to run. ids are named by their order.
func steady(v any, ids map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		return steadyObject(v, ids)
	case []any:
		for i := range v {
			v[i] = steady(v[i], ids)
		}
	}
	return v
}

// steadyObject looks only into what has the form of cassettes: the arguments of calls, say, are compared as they are.
func steadyObject(v map[string]any, ids map[string]string) any {
	for _, key := range []string{"latency_ms", "chunks", "retries", "cached"} {
		delete(v, key)
	}
	for _, key := range []string{
		"request", "messages", "reply", "tool_calls", "tool_results", "tool_result", "exchanges",
	} {
		if member, there := v[key]; there {
			v[key] = steady(member, ids)
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
