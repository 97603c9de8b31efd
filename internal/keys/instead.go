package keys

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/node"
)

// Explainer adds hints to problems that have none.
type Explainer interface {
	Explain(n *node.Node, hint string)
}

// Explain says what to write where a value, or an entry of it, does not have the shape of its key. It adds that to the
// problems that were reported there without a hint.
func Explain(e Explainer, name string, s Shape, found *node.Node) {
	if hint := Instead(name, s, found); hint != "" {
		e.Explain(found, hint)
	}
	switch s := s.(type) {
	case List:
		if found.Kind == node.List {
			for _, v := range found.Content {
				Explain(e, "", s.Item, v)
			}
		}
	case Map:
		if found.Kind == node.Map {
			for i := 0; i+1 < len(found.Content); i += 2 {
				Explain(e, found.Content[i].Value, s.Value, found.Content[i+1])
			}
		}
	}
}

// Instead says what to write in the place of a value that does not fit its key, made of the value where that can be:
// "write expected_args: {order_id: A-1001}". The name is "" for an entry of a list. It is "" where the value has the
// form that is asked for, and where an example would not help.
func Instead(name string, s Shape, found *node.Node) string {
	example := instead(name, s, found)
	if example == "" {
		return ""
	}
	switch {
	case name != "":
		name += ": "
	case example == "…":
		return "give it a value, or remove the entry"
	}
	if _, either := s.(Bool); either {
		return "write " + name + "true or " + name + "false"
	}
	return "write " + name + example
}

// Sample is a key with the form of its value: "patterns: […]".
func Sample(name string, s Shape) string {
	switch s.(type) {
	case Text, Own, nil:
		return name + ": …"
	}
	return name + ": " + cmp.Or(instead(name, s, &node.Node{Kind: node.Scalar, Tag: "!!null"}), "…")
}

func instead(name string, s Shape, found *node.Node) string {
	single := found.Kind == node.Scalar && !node.IsNull(found)
	switch s := s.(type) {
	case Text:
		if !single || found.Value == "" {
			return insteadOfText(found)
		}
	case Words:
		if !single {
			return s[0]
		}
	case Bool:
		return "true"
	case Span:
		return insteadOfSpan(found)
	case Number:
		return insteadOfNumber(name, s, found)
	case List:
		return insteadOfList(s, found)
	case Map:
		return insteadOfMap(s, found)
	case Table:
		if found.Kind != node.Map {
			return lone(s, found)
		}
	case Own:
		if !single {
			return "…, " + article(s.Words)
		}
	}
	return ""
}

// insteadOfText makes one text of a list, of a name in braces, which YAML reads as a map, and of a map with a text.
func insteadOfText(found *node.Node) string {
	var parts []string
	for i, v := range found.Content {
		switch {
		case v.Kind != node.Scalar:
			return "…, one text"
		case found.Kind == node.Map && i == 1 && node.IsNull(v):
			return strconv.Quote("{" + found.Content[0].Value + "}")
		case found.Kind == node.List || i == 1:
			parts = append(parts, v.Value)
		}
	}
	text := strings.Join(parts, ", ")
	switch several := len(found.Content) > 2 && found.Kind == node.Map || len(parts) > 1 &&
		!strings.Contains(strings.Join(parts, ""), " "); {
	case found.Kind == node.Scalar:
		return "…"
	case several || text == "" || utf8.RuneCountInString(text) > longExample:
		return "…, one text"
	}
	return Plain(text)
}

// longExample is the length, in characters, from which on an example does not repeat a text.
const longExample = 60

// Plain is a text as YAML has it in one line: in quotes where it would be something else without.
func Plain(text string) string {
	quoted := strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" _-./", r)
	})
	if quoted || text == "" || strings.TrimSpace(text) != text || strings.HasPrefix(text, "-") {
		return strconv.Quote(text)
	}
	return text
}

func insteadOfSpan(found *node.Node) string {
	if _, err := strconv.ParseFloat(found.Value, 64); err == nil && found.Kind == node.Scalar {
		if n := strings.TrimLeft(found.Value, "+-"); strings.Trim(n, "0.") != "" {
			return n + "s for seconds, or " + n + "ms for thousandths"
		}
	}
	return "30s"
}

// insteadOfNumber is the number that was meant, or for no value one that would do. A guess at another number than was
// meant would be copied.
func insteadOfNumber(name string, s Number, found *node.Node) string {
	if found.Kind == node.List && len(found.Content) == 1 {
		found = found.Content[0]
	}
	if found.Kind == node.Scalar && found.Value != "" && !node.IsNull(found) {
		if n, ok := meantNumber(name, s, found.Value); ok {
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
		if _, err := strconv.ParseFloat(found.Value, 64); err != nil {
			return "…, a number"
		}
	}
	example := 3.0
	if !s.Integer && s.High <= 1 {
		example = 0.5
	}
	return strconv.FormatFloat(max(min(example, s.High), s.Low), 'f', -1, 64)
}

func insteadOfList(s List, found *node.Node) string {
	if found.Kind == node.List && len(found.Content) > 0 {
		return ""
	}
	if found.Kind == node.Map {
		if _, table := s.Item.(Table); table && len(found.Content) > 0 {
			return "" // with a "- " before its entries
		}
	}
	item := "…"
	switch of := s.Item.(type) {
	case Table:
		item = lone(of, found)
	case Words:
		item = of[0]
	case Number:
		item = insteadOfNumber("", of, found)
	case Own:
		item = "…"
	default:
		if found.Kind == node.Scalar && !node.IsNull(found) && found.Value != "" &&
			utf8.RuneCountInString(found.Value) <= longExample {
			item = Plain(found.Value)
		}
	}
	return "[" + item + "]"
}

// insteadOfMap makes a map of a list of two texts, and of a list of one map.
func insteadOfMap(s Map, found *node.Node) string {
	if found.Kind == node.Map {
		return ""
	}
	if list := found.Content; len(list) == 2 && list[0].Kind == node.Scalar && list[1].Kind == node.Scalar {
		return "{" + Plain(list[0].Value) + ": " + Plain(list[1].Value) + "}"
	} else if len(list) == 1 && list[0].Kind == node.Map && len(list[0].Content) == 2 &&
		list[0].Content[1].Kind == node.Scalar {
		return "{" + Plain(list[0].Content[0].Value) + ": " + Plain(list[0].Content[1].Value) + "}"
	}
	if of, is := s.Value.(Table); is {
		return "{NAME: " + lone(of, &node.Node{}) + "}"
	}
	return "{NAME: …}"
}

// lone is the example that a table has of itself, or else a map with what must be in it, or else its first key. A value
// that was found alone stands for the first key that can hold it.
func lone(t Table, found *node.Node) string {
	if e, is := t.(interface{ Example() string }); is && e.Example() != "" {
		return e.Example()
	}
	all := t.Keys()
	value := ""
	if found.Kind == node.Scalar && !node.IsNull(found) && found.Value != "" &&
		utf8.RuneCountInString(found.Value) <= longExample {
		value = Plain(found.Value)
	}
	_, err := strconv.ParseFloat(found.Value, 64)
	var parts []string
	for _, k := range all {
		if !k.Required {
			continue
		}
		given := "…"
		if w, is := k.Shape.(Words); is {
			given = w[0]
		}
		parts = append(parts, k.Name+": "+given)
	}
	if len(parts) > 1 {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	for _, k := range all {
		if len(parts) == 1 && !k.Required || k.Idle != "" || k.Later != "" {
			continue
		}
		_, number := k.Shape.(Number)
		_, text := k.Shape.(Text)
		switch {
		case value != "" && (number && err == nil || text && err != nil):
			return "{" + k.Name + ": " + value + "}"
		case value == "" && len(parts) == 0:
			return "{" + k.Name + ": …}"
		}
	}
	if len(parts) == 0 && len(all) > 0 {
		parts = append(parts, all[0].Name+": …")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func article(words string) string {
	if strings.HasPrefix(words, "http") || strings.ContainsRune("aeiouAEIOUH", rune(words[0])) && words[0] != 'u' {
		return "an " + words
	}
	return "a " + words
}
