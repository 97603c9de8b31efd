package checks

import "fmt"

// argumentText is an argument as tool checks compare and match it: text as it is, numbers in their shortest form, lists
// and objects as compact JSON.
func argumentText(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		return x
	case bool:
		return fmt.Sprint(x)
	}
	if text, ok := numberText(v); ok {
		return text
	}
	return compactJSON(v)
}

// equalArguments compares two arguments by their texts, so that 42 equals "42"; lists item by item, objects by keys.
func equalArguments(a, b any) bool {
	return equalBy(a, b, func(a, b any) bool {
		switch b.(type) {
		case nil, []any, map[string]any:
			return false
		}
		return argumentText(a) == argumentText(b)
	})
}
