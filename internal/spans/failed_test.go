package spans

import (
	"fmt"
	"strings"
	"testing"
)

// TestFailures: the conventions set error.type only when something failed, and many libraries tell of an exception and
// leave the status unset.
func TestFailures(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		``:                       "",
		`,"status":{"code":1}`:   "",
		`,"status":{"code":"2"}`: "the span failed",
		`,"status":{"status_code":"ERROR","description":"down"}`:                  "down",
		`,"attributes":{"error.type":"TimeoutError"}`:                             "TimeoutError",
		`,"attributes":{"error.type":"TimeoutError"},"status":{"code":1}`:         "TimeoutError",
		`,"events":[{"name":"exception","attributes":{"exception.message":"x"}}]`: "the span failed",
		`,"events":[{"name":"exception"}],"status":{"status_code":"OK"}`:          "", // it was handled
		`,"attributes":{"error":true}`:                                            "the span failed",
		`,"attributes":{"error":false}`:                                           "",
		`,"attributes":{"error.message":"no rights"}`:                             "no rights",
		`,"attributes":{"otel.status_code":"ERROR"}`:                              "the span failed",
		`,"attributes":{"otel.status_code":"OK"}`:                                 "",
		`,"error":"boom"`:                        "boom",
		`,"error":null`:                          "",
		`,"error":"none"`:                        "",
		`,"statusCode":2`:                        "the span failed",
		`,"statusCode":2,"statusMessage":"down"`: "down",
		`,"events":[{"name":"log"}]`:             "",
		`,"status":{"status_code":"UNSET"},"events":[{"name":"exception"}]`:          "the span failed",
		`,"kind":"TOOL","input":"x","status":"ERROR"`:                                "the span failed",
		`,"kind":"TOOL","input":"x","status":"OK","events":[{"name":"exception"}]`:   "",
		`,"traceId":"1","status":{"code":"STATUS_CODE_ERROR","message":"no answer"}`: "no answer",
	} {
		var got []Span
		line := fmt.Sprintf(`{"name":"f","span_id":"1"%s}`, more)
		for _, err := range Lines(strings.NewReader(line), func(s Span) { got = append(got, s) }) {
			t.Error(err)
		}
		if len(got) != 1 || got[0].Failure != want {
			t.Errorf("%s: %+v, want %q", line, got, want)
		}
	}
}
