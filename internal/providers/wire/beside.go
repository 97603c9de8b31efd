package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// besides notes what a document says of a failure in fields that no protocol has, such as errors or exception: a
// gateway may tell there that the reply beside it is not what the model was to say.
func (c *Call) besides(data []byte) {
	if !bytes.Contains(data, []byte("rror")) && !bytes.Contains(data, []byte("xception")) { // as nearly all
		return
	}
	jsonvalue.Members(bytes.TrimSpace(data), func(key, member []byte, _ int) bool {
		var v any
		if !failure.Tells(string(key)) || json.Unmarshal(member, &v) != nil {
			return true
		}
		if mark, failed := failure.In(jsonvalue.Object{string(key): v}); failed && mark.Reason {
			c.doubt(fmt.Sprintf("has a failure beside it (%s: %s)", c.Excerpt(mark.Key), c.Excerpt(string(member))))
		}
		return true
	})
}
