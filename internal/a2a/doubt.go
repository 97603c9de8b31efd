package a2a

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// check takes down what an answer says against itself: that it is one to another request, that the user said it, or
// that something went wrong beside what it brings.
func (c *Client) check(r *Result, id int64, answered, result json.RawMessage) {
	if text := strings.Trim(string(answered), `"`); len(answered) > 0 && text != "null" && text != fmt.Sprint(id) {
		r.doubt(fmt.Sprintf("the agent answers the request %s, and was sent the request %d", brief(text), id))
	}
	v, err := chat.DecodeJSON(result)
	if err != nil {
		return
	}
	for o, _ := v.(jsonvalue.Object); o != nil; {
		c.checkObject(r, o)
		inner, _ := o["task"].(jsonvalue.Object)
		if inner == nil {
			inner, _ = o["message"].(jsonvalue.Object)
		}
		o = inner
	}
}

// checkObject does it for a task or a message.
func (c *Client) checkObject(r *Result, o jsonvalue.Object) {
	if role, _ := o["role"].(string); strings.TrimPrefix(strings.ToLower(role), "role_") == "user" {
		r.doubt("the agent answers with a message of the user")
	}
	for _, name := range []string{"", "status.", "metadata."} {
		fields := o
		if name != "" {
			fields, _ = o[strings.TrimSuffix(name, ".")].(jsonvalue.Object)
		}
		if mark, failed := failure.In(fields); failed && mark.Certain && !mark.State {
			r.doubt(fmt.Sprintf("the agent tells of a failure beside its answer (%s%s: %s)", name, mark.Key,
				brief(jsonvalue.Compact(mark.Value))))
		}
	}
}

// brief is the start of a text of an agent.
func brief(text string) string { return ellipsis.Runes(text, 80) }
