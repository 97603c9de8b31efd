package recording

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// branch is a value that was written as attributes with dotted names, such as message.tool_calls.0.tool_call.id.
type branch struct {
	leaf value // of a branch without kids
	kids map[string]*branch
}

// insert puts a value at a path. Objects and lists in it become branches too, unless a model or a tool wrote them.
func (r *branch) insert(path []string, v value) {
	if len(path) > 0 {
		name := path[0]
		if r.kids == nil {
			r.kids = map[string]*branch{}
		}
		if r.kids[name] == nil {
			r.kids[name] = &branch{}
		}
		kid := r.kids[name]
		if len(path) == 1 && isWritten(name) {
			kid.leaf = v
			return
		}
		kid.insert(path[1:], v)
		return
	}
	switch v.kind() {
	case '{':
		for key, member := range v.members {
			r.insert(strings.Split(string(plainKey(key)), "."), member)
		}
	case '[':
		i := 0
		for item := range v.items {
			r.insert([]string{strconv.Itoa(i)}, item)
			i++
		}
	default:
		r.leaf = v
	}
}

// isWritten reports whether a field holds text or data of any form that a model or a tool wrote.
func isWritten(name string) bool { return name == "arguments" || name == "content" || name == "text" }

// at returns the branch at a path; an empty one when there is none.
func (r *branch) at(path ...string) *branch {
	for _, name := range path {
		if r = r.kids[name]; r == nil {
			return &branch{}
		}
	}
	return r
}

func (r *branch) empty() bool { return r.kids == nil && r.leaf.kind() == 0 }

// list returns the kids of a list in order. missing is the first missing number that has a later one; -1: none is
// missing.
func (r *branch) list() (kids []*branch, missing int) {
	for i := range len(r.kids) {
		kid := r.kids[strconv.Itoa(i)]
		if kid == nil {
			return kids, i
		}
		kids = append(kids, kid)
	}
	return kids, -1
}

// names are the names of the kids, sorted.
func (r *branch) names() (names []string) {
	for name := range r.kids {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// json encodes a branch.
func (r *branch) json() []byte {
	if r.kids == nil {
		if r.leaf.kind() == 0 {
			return []byte("null")
		}
		return r.leaf.text
	}
	if kids, missing := r.list(); missing < 0 {
		var items []json.RawMessage
		for _, kid := range kids {
			items = append(items, kid.json())
		}
		return jsonList(items)
	}
	members := map[string]value{}
	for name, kid := range r.kids {
		members[name] = value{text: kid.json()}
	}
	return rawObject(members)
}
