package secret

import "strings"

// TakenOut returns the pieces of a text that are replaced by Redacted in left; nil if left is not a redacted form of
// the text.
func TakenOut(left, text string) (pieces []string) {
	parts := strings.Split(left, Redacted)
	if len(parts) == 1 {
		return nil
	}
	first, last := parts[0], parts[len(parts)-1]
	rest, ok := strings.CutPrefix(text, first)
	if !ok {
		return nil
	}
	if rest, ok = strings.CutSuffix(rest, last); !ok {
		return nil
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return nil
		}
		pieces, rest = append(pieces, rest[:at]), rest[at+len(part):]
	}
	return append(pieces, rest)
}
