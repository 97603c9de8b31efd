package cassette

import (
	"bytes"
	"strconv"
)

// definitions are the definitions of the tools that requests in a cassette offer. The definition of a tool may change
// within a trial, because it describes the next states of a workflow and the available skills.
type definitions struct {
	list []tool
	at   map[string]int // by what requests call them: index in list
}

// refer returns the names by which a request refers to its tools. It adds definitions that are not in the list yet.
func (d *definitions) refer(offered []tool) (names []string, err error) {
	for i := range offered {
		name, err := d.nameOf(&offered[i])
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// nameOf returns the name of a tool, with a number behind it if another definition has that name.
func (d *definitions) nameOf(t *tool) (string, error) {
	for n := 1; ; n++ {
		name := t.Name
		if n > 1 {
			name += "#" + strconv.Itoa(n)
		}
		at, taken := d.at[name]
		if !taken {
			d.add(*t, name)
			return name, nil
		}
		if same, err := equalTools(&d.list[at], t); same || err != nil {
			return name, err
		}
	}
}

func (d *definitions) add(t tool, name string) {
	if d.at == nil {
		d.at = map[string]int{}
	}
	d.at[name] = len(d.list)
	if t.As = ""; name != t.Name {
		t.As = name
	}
	d.list = append(d.list, t)
}

// equalTools reports whether two definitions are equal, whatever the white space in their schemas.
func equalTools(a, b *tool) (bool, error) {
	if a.Name != b.Name || a.Description != b.Description {
		return false, nil
	}
	if bytes.Equal(a.Schema, b.Schema) {
		return true, nil
	}
	before, err := compact(a.Schema)
	if err != nil {
		return false, err
	}
	is, err := compact(b.Schema)
	return err == nil && bytes.Equal(before, is), err
}

// ref returns the name by which requests refer to a definition.
func (t *tool) ref() string {
	if t.As != "" {
		return t.As
	}
	return t.Name
}
