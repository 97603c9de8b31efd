package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// digestOf is the digest of the check, the parameters and the condition of an eval, independent of file and layout. It
// is "" for values that JSON cannot hold, which are reported elsewhere.
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
