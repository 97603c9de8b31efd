package node

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// tag refuses a tag that does not match its value. It would be ignored: a text with !env would be literal, and one with
// !!binary would stay encoded.
func (v *resolver) tag(n *Node) {
	short := n.ShortTag()
	switch {
	case !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!merge"}, short):
		d := v.r.Errorf(n, "unknown-tag", "the tag %s is not known: arena reads plain YAML", n.Tag)
		d.Width, d.Hint = len(n.Tag), "write the value itself, without a tag"
	case !fits(n, short):
		d := v.r.Errorf(n, "wrong-tag", "the tag %s does not fit %s", short, describeUntagged(n))
		d.Width, d.Hint = len(short), "take the tag out, or write what it says"
	}
}

// fits reports whether a tag fits its value.
func fits(n *Node, tag string) bool {
	switch tag {
	case "!!map":
		return n.Kind == Map
	case "!!seq":
		return n.Kind == List
	}
	if n.Kind != Scalar {
		return false
	}
	switch tag {
	case "!!int":
		_, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64)
		return err == nil || errors.Is(err, strconv.ErrRange)
	case "!!float":
		var f float64
		_, err := strconv.ParseFloat(n.Value, 64)
		return err == nil || errors.Is(err, strconv.ErrRange) || n.Decode(&f) == nil
	case "!!bool":
		_, ok := yaml11Bool(n.Value)
		return ok
	case "!!null":
		return slices.Contains([]string{"", "~", "null", "Null", "NULL"}, n.Value)
	}
	return true
}

// describeUntagged describes a value without its tag.
func describeUntagged(n *Node) string {
	plain := *n
	plain.Tag, plain.Style = "", n.Style&^yaml.TaggedStyle
	return describe(&plain)
}
