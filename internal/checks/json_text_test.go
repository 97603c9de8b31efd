package checks

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONText(t *testing.T) {
	t.Parallel()
	wrapped, extract := jsonOptions{AllowWrapped: true}, jsonOptions{ExtractJSON: true}
	both := jsonOptions{AllowWrapped: true, ExtractJSON: true}
	for _, tc := range []struct {
		name    string
		options jsonOptions
		text    string
		want    string
	}{
		{"nothing asked for", jsonOptions{}, "```json\n{}\n```", "```json\n{}\n```"},
		{"marked json", wrapped, "Here:\n```json\n{\"a\": 1}\n```\nBye", `{"a": 1}`},
		{"marked JSON", wrapped, "```JSON\n[]\n```", "[]"},
		{"not marked", wrapped, "```\n[1]\n```", "[1]"},
		{"CRLF", wrapped, "```json\r\n{}\r\n```\r\n", "{}"},
		{"indented", wrapped, "- item\n  ```json\n  {}\n  ```", "{}"},
		{"after a block of another language", wrapped, "```yaml\na: 1\n```\ntext\n```json\n{}\n```", "{}"},
		{"closed at the end of a line", wrapped, "```json\n{\"a\":1}```\nmore", `{"a":1}`},
		{"closed within a line", wrapped, "```json\n{\"a\":1}``` more", `{"a":1}`},
		{"a fence in a text", wrapped, "```json\n{\"a\": \"```\"}\n```", "{\"a\": \"```\"}"},
		{"four backticks", wrapped, "````json\n{\"a\": \"```\"}\n````", "{\"a\": \"```\"}"},
		{"code in a line is no block", wrapped, "use ```x``` like\n```json\n{}\n```", "{}"},
		{"never closed", wrapped, "```json\n{}", "```json\n{}"},
		{"taken even when it is no JSON", both, "```\nno\n``` {}", "no"},
		{"another language only", wrapped, "```go\nx\n```", "```go\nx\n```"},
		{"the whole text", extract, `[{"a":1},{"b":2}]`, `[{"a":1},{"b":2}]`},
		{"in prose", extract, `Result: {"a": {"b": "}"}} as asked`, `{"a": {"b": "}"}}`},
		{"an array of objects", extract, `See [{"a":1},{"a":2}].`, `[{"a":1},{"a":2}]`},
		{"after a placeholder", extract, `Dear {name}, {"a": 1}`, `{"a": 1}`},
		{"within brackets that are none", extract, `[see {"a": 1}]`, `{"a": 1}`},
		{"after an open bracket", extract, `a [ b {"a": 1} c`, `{"a": 1}`},
		{"escaped quotes", extract, `x {"a": "\"}"} y`, `{"a": "\"}"}`},
		{"unbalanced", extract, `Result: {"a": 1`, `Result: {"a": 1`},
		{"none", extract, "no brackets", "no brackets"},
		{"fence first", both, "{\"b\": 1}\n```json\n{\"a\": 1}\n```", `{"a": 1}`},
	} {
		if got := jsonText(tc.text, tc.options); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func FuzzJSONText(f *testing.F) {
	for _, seed := range []string{
		"```json\n{\"a\": 1}\n```", "```\n```", "`````", "a [ b {\"a\": \"\\\"}\"} c", "{name} {\"a\":1}",
		"```x``` ```\n1```",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range []jsonOptions{{AllowWrapped: true}, {ExtractJSON: true}, {AllowWrapped: true, ExtractJSON: true}} {
			got := jsonText(text, o)
			if !strings.Contains(text, got) {
				t.Errorf("%q is no part of %q", got, text)
			}
			if o == (jsonOptions{ExtractJSON: true}) && got != text && !json.Valid([]byte(got)) {
				t.Errorf("took %q out of %q, which is no JSON", got, text)
			}
		}
	})
}
