package tools_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/tools"
)

// TestToldDoubt: what says of itself that it failed, and is no failure, is doubted; the state of what was asked for is
// not.
func TestToldDoubt(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{"success": false, "orders": []}`:                        `"success": false`,
		`{"ok": false, "order": {"id": 1}}`:                       `"ok": false`,
		`{"status": "failed"}`:                                    `"status": "failed"`,
		`{"status": "error", "message": "card declined"}`:         `"status": "error"`,
		`{"error": "E5 in line 3", "log": "what was looked for"}`: `"error"`,
		`{"errors": ["full"], "data": null}`:                      `"errors"`,
		`{"failed": true, "order": 1}`:                            `"failed": true`,
		`{"order": "A-1", "status": "failed"}`:                    "", // that of the order
		`{"status": "cancelled"}`:                                 "",
		`{"status": 404, "url": "/a"}`:                            "", // that of the page
		`{"failed": 2, "passed": 7}`:                              "",
		`{"failed": ["a"], "passed": ["b"]}`:                      "",
		`{"errors": [], "data": {}}`:                              "",
		`{"status": "ok"}`:                                        "",
		`[{"error": "x"}]`:                                        "",
		`failed`:                                                  "",
	} {
		got := tools.FailureDoubt([]byte(result))
		if want != "" {
			want = "its result says of itself that it failed (" + want + "), and counts as one that worked"
		}
		if got != want {
			t.Errorf("ToldDoubt(%s) = %q, want %q", result, got, want)
		}
	}
}

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
		text, failed := tools.ReportedFailure([]byte(result))
		if text != want || failed != (want != "") {
			t.Errorf("ToldFailure(%s) = %q, %t; want %q", result, text, failed, want)
		}
	}
}
