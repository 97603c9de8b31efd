package tools_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/tools"
)

// TestToldFailure: a failure that stands in a result is found, and a result that speaks of an error besides is none.
func TestToldFailure(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{"error": "no rights"}`:                                  "no rights",
		`{"error": {"code": 5}, "status": "failed"}`:              "{\n  \"code\": 5\n}",
		`{"is_error": true, "error": "no rights", "rows": []}`:    "no rights",
		`{"isError":true,"content":"gone"}`:                       "{\n  \"isError\": true,\n  \"content\": \"gone\"\n}",
		`{"IsError": "yes"}`:                                      "{\n  \"IsError\": \"yes\"\n}",
		`{"success": false, "message": "later", "error": "full"}`: "full",
		`{"error": null}`:                                         "",
		`{"error": "", "code": 0}`:                                "",
		`{"error": false, "message": "done"}`:                     "",
		`{"isError": false, "content": "there"}`:                  "",
		`{"error": "E5 in line 3", "log": "what was looked for"}`: "",
		`{"errors": ["full"]}`:                                    "[\n  \"full\"\n]",
		`{"success": false, "message": "card declined"}`:          "{\n  \"success\": false,\n  \"message\": \"card declined\"\n}",
		`{"ok": "false"}`:                                         "{\n  \"ok\": \"false\"\n}",
		`{"statusCode": 503}`:                                     "{\n  \"statusCode\": 503\n}",
		`{"success": false, "orders": []}`:                        "",
		`{"status": "failed"}`:                                    "",
		`{"statusCode": 200}`:                                     "",
		`{"errors": 3}`:                                           "",
		`{}`:                                                      "",
		`"error"`:                                                 "",
		`[{"error": "x"}]`:                                        "",
		`{"error"`:                                                "",
	} {
		text, failed := tools.ToldFailure([]byte(result))
		if text != want || failed != (want != "") {
			t.Errorf("ToldFailure(%s) = %q, %t; want %q", result, text, failed, want)
		}
	}
}
