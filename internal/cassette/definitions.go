package cassette

import (
	"bytes"
	"strconv"
)

// definitions are the tools that the requests of a cassette were offered. A tool may change within a trial: what leads
// on from a state of a workflow, and which skills it has, stands in the definitions of tools.
type definitions struct {
	list []tool
	at   map[string]int // by what requests call them: index in list
}

// refer returns what a request calls the tools that it was offered. Those that are not known yet are added.
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

// nameOf is the name of a tool, or with a number behind it where another definition has that.
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

// equalTools reports whether two definitions say the same, however their schemas are laid out.
func equalTools(a, b *tool) (bool, error) {
	if a.Name != b.Name || a.Description != b.Description {
		return false, nil
	}
	if bytes.Equal(a.Schema, b.Schema) {
		return true, nil
	}
	was, err := compact(a.Schema)
	if err != nil {
		return false, err
	}
	is, err := compact(b.Schema)
	return err == nil && bytes.Equal(was, is), err
}

// ref is what requests call a definition.
func (t *tool) ref() string {
	if t.As != "" {
		return t.As
	}
	return t.Name
}
