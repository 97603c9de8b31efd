package command

import (
	"strings"
	"testing"
)

// TestMisspeltKeys: unknown keys of a message are refused, with the nearest one.
func TestMisspeltKeys(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"type":"tool_call","name":"a","arguments":{}}`:                  `unknown key "arguments" (did you mean args?)`,
		`{"type":"tool_call","name":"a","input":{}}`:                      "did you mean args?",
		`{"type":"tool_call","name":"a","parameters":{}}`:                 "did you mean args?",
		`{"type":"tool_call","name":"a","Args":{}}`:                       "did you mean args?",
		`{"type":"tool_result","id":"1","err":"x"}`:                       "did you mean error?",
		`{"type":"tool_result","id":"1","content":"x"}`:                   "expected id, result, error",
		`{"type":"reply","text":"a","finishReason":"length"}`:             "did you mean finish_reason?",
		`{"type":"reply","text":"a","index":7}`:                           `unknown key "index"`,
		`{"type":"usage","cost":5}`:                                       "did you mean cost_usd?",
		`{"type":"delta","content":"a"}`:                                  "did you mean text?",
		`{"type":"error","message":"a"}`:                                  "did you mean text?",
		`{"Type":"tool_call","name":"a"}`:                                 `"Type" in place of "type"`,
		`{"event":"tool_call","name":"a"}`:                                `"event" in place of "type"`,
		`{"type":"tool_call","id":"1","name":"a","args":{"arguments":1}}`: "",
		`{"type":"tool_result","id":"1","result":{"content":1}}`:          "",
		`{"type":"reply","text":"a","parts":[],"finish_reason":"stop"}`:   "",
		`{"type":"log","text":"a","level":"info"}`:                        "",
		`{"level":"info","event":"started"}`:                              "",
		`{"kind":"delta force"}`:                                          "",
	} {
		_, err := parse([]byte(line))
		if got := ""; want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			if err != nil {
				got = err.Error()
			}
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestHiddenMessages refuses messages that no reader of lines sees: they would count as not said.
func TestHiddenMessages(t *testing.T) {
	t.Parallel()
	for line, hidden := range map[string]bool{
		`  "type": "tool_call",`:                           true,
		`[{"type":"tool_call","name":"pay"}]`:              true,
		`INFO: {"type":"tool_call","name":"pay"}`:          true,
		`{'type': 'tool_call', 'name': 'pay'}`:             true,
		`{"msg":"{\"type\":\"reply\",\"text\":\"x\"}"}`:    true,
		`got {"type":"turn","text":"hello"}`:               false,
		`{"level":"info","tool":"pay"}`:                    false,
		`it writes lines of "type": "tool_call" for calls`: false,
		`INFO: {"name":"pay","type":"tool_call"}`:          true,
		`the type "reply" is a word`:                       false,
	} {
		if err := hiddenMessage([]byte(line)); (err != nil) != hidden {
			t.Errorf("%s: %v", line, err)
		}
	}
}
