package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// digestOf tells definitions of an eval apart that measure different things: by its check, the parameters and the
// condition, whatever the file and the layout. It is "" for what JSON cannot hold, which is reported elsewhere.
func digestOf(file string, n *node.Node) string {
	plain := node.Reader{File: file, Diags: &diag.List{}}
	measured := map[string]any{}
	for _, key := range []string{"type", "params", "when"} {
		if v := node.Get(n, key); v != nil {
			measured[key] = plain.Any(v)
		}
	}
	text, err := json.Marshal(measured)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
