package httpagent

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// failed checks an answer for failures besides the error of the file: {"success": false} is not a reply. An ambiguous
// one is only noted: a status "cancelled" may be that of an order, an event of a stream may be about one step, and a
// file with its own error path defines where failures are.
func (x *exchange) failed(call *wire.Call, doc any, data []byte) error {
	fields, is := doc.(jsonvalue.Object)
	if !is {
		return nil
	}
	mark, failed := failure.In(fields)
	if !failed {
		return nil
	}
	text := fmt.Sprintf("%s is %s", call.Excerpt(mark.Key), shown(call, mark.Value))
	if mark.Certain && x.p.Error == scenario.HTTPError && x.p.HTTPAgent.Stream == nil {
		return x.misfit(call, data, "the answer says of itself that it failed (%s); where that means something else, write "+
			"additional_config.error with the path to the errors of this endpoint", text)
	}
	doubt := fmt.Sprintf("an answer may say of itself that it failed (%s), and counts as a reply", text)
	if !slices.Contains(x.doubts, doubt) {
		x.doubts = append(x.doubts, doubt)
	}
	return nil
}

// resultOf is what came of a call; told is false where the endpoint does not say.
func resultOf(made chat.ToolCall, fields jsonvalue.Object) (res chat.ToolResult, hasResult bool) {
	res = chat.ToolResult{ID: made.ID, Name: made.Name}
	result, hasResult := fields["result"]
	if !hasResult {
		result, hasResult = fields["output"]
	}
	if result != nil {
		res.Content = presented(result)
	}
	if mark, failed := failure.In(fields); failed {
		text := ""
		if mark.Reason && mark.Value != true {
			text = presented(mark.Value)
		}
		text = cmp.Or(text, res.Content, "it failed, and the endpoint does not say why")
		return tools.Failure(made, chat.ErrorExecution, text), true
	}
	if data, err := jsonvalue.Plain(result); err == nil {
		if text, failed := tools.ReportedFailure(data); failed {
			return tools.Failure(made, chat.ErrorExecution, text), true
		}
	}
	return res, hasResult
}
