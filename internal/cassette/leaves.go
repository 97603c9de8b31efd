package cassette

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// leaf is a text or scalar of a request.
type leaf struct {
	path  string // for people: message 1 content
	lines []string
}

// leaves splits a request into its texts and scalars.
func leaves(request any, tools []tool) []leaf {
	data, err := compact(struct {
		Request any    `json:"request"`
		Tools   []tool `json:"tools"`
	}{request, tools})
	if err != nil {
		return nil
	}
	v, err := chat.DecodeJSON(data)
	root, ok := v.(jsonvalue.Object)
	if err != nil || !ok {
		return nil
	}
	var out []leaf
	addLeaves(&out, "", root["request"])
	if list, ok := root["tools"].([]any); ok {
		for _, item := range list {
			if def, ok := item.(jsonvalue.Object); ok {
				addLeaves(&out, fmt.Sprintf("tool %v", def["name"]), def)
			}
		}
	}
	return out
}

func addLeaves(out *[]leaf, path string, v any) {
	switch v := v.(type) {
	case jsonvalue.Object:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
		for _, k := range keys {
			addLeaves(out, childPath(path, k), v[k])
		}
	case []any:
		if lines, ok := texts(v); ok {
			*out = append(*out, leaf{path, lines})
			return
		}
		for i, item := range v {
			addLeaves(out, itemPath(path, i, item), item)
		}
	case string:
		*out = append(*out, leaf{path, strings.Split(v, "\n")})
	default:
		data, _ := json.Marshal(v) // v was decoded from JSON, so it can be encoded
		*out = append(*out, leaf{path, []string{string(data)}})
	}
}

// rank sorts the important keys first.
func rank(key string) int {
	order := []string{"messages", "name", "args", "to", "body", "text", "model"}
	if i := slices.Index(order, key); i >= 0 {
		return i
	}
	return len(order)
}

func childPath(path, key string) string {
	switch {
	case path == "" || key == "content":
		return strings.TrimPrefix(path+" "+key, " ")
	case strings.HasPrefix(path, "message ") && key == "role":
		return path + " role"
	}
	return path + "." + key
}

// itemPath names an item of a list: message 3 (user).
func itemPath(path string, i int, item any) string {
	if fields, ok := item.(jsonvalue.Object); ok && path == "messages" {
		return fmt.Sprintf("message %d (%v)", i+1, fields["role"])
	}
	return path + "[" + strconv.Itoa(i) + "]"
}

func texts(list []any) ([]string, bool) {
	lines := make([]string, len(list))
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil, false
		}
		lines[i] = s
	}
	return lines, len(list) > 0
}

// commonLines counts the lines that are in both requests at the same path.
func commonLines(a, b []leaf) (n int) {
	known := make(map[string]int, len(a))
	for i := range a {
		for _, line := range a[i].lines {
			known[a[i].path+"\x00"+line]++
		}
	}
	for i := range b {
		for _, line := range b[i].lines {
			if key := b[i].path + "\x00" + line; known[key] > 0 {
				known[key]--
				n++
			}
		}
	}
	return n
}
