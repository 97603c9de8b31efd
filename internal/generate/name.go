package generate

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/ellipsis"
)

// maxName is the length limit of an id.
const maxName = 63

// Names makes unique ids that are valid file names on every system: lower-case letters, digits and dashes. Its zero
// value is ready.
type Names struct{ taken map[string]bool }

// Unique makes an id from a text, or from instead when no character of the text can be used.
func (n *Names) Unique(text, instead string) string {
	base := cmp.Or(slug(text), slug(instead), "session")
	id := base
	for i := 2; n.taken[id]; i++ {
		end := fmt.Sprintf("-%d", i)
		id = strings.TrimRight(base[:min(len(base), maxName-len(end))], "-") + end
	}
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	n.taken[id] = true
	return id
}

// slug keeps ASCII letters and digits, and replaces each run of other characters by a dash.
func slug(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		default:
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
		if b.Len() >= maxName {
			break
		}
	}
	name := strings.TrimRight(b.String()[:min(b.Len(), maxName)], "-")
	switch name {
	case "con", "prn", "aux", "nul": // Windows reserves these names, with any extension
		return name + "-session"
	}
	port := strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")
	if port && len(name) == 4 && name[3] >= '0' && name[3] <= '9' {
		return name + "-session"
	}
	return name
}

// oneLine prepares a text for a comment or a description: one line of at most the given number of runes, without
// control characters.
func oneLine(text string, most int) string {
	text = diag.Safe(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " "))
	return ellipsis.Runes(text, most)
}
