package node

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/arena-evals/arena/internal/diag"
)

// BlockText is the text of a block in the lines of the file: also one below >, whose value has them joined.
func (r *Reader) BlockText(n *Node) string {
	if n.Style&yaml.FoldedStyle == 0 || n.Value == "" || len(r.source) == 0 {
		return n.Value
	}
	if r.lines == nil {
		r.lines = diag.Lines(r.File, r.source)
	}
	if n.Line < 1 || n.Line >= len(r.lines) {
		return n.Value
	}
	var kept []string
	indent := -1
	for _, line := range r.lines[n.Line:] {
		bare := strings.TrimLeft(line, " ")
		switch at := len(line) - len(bare); {
		case strings.TrimSpace(bare) == "":
			line = ""
		case indent < 0:
			indent = at
			line = bare
		case at < indent:
			return strings.Join(kept, "\n")
		default:
			line = line[indent:]
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}
