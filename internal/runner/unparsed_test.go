package runner

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
)

func TestUnparsed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"<think>Maybe it is shipped.</think>I do not know.", "thoughts"},
		{"Maybe it is shipped.\n</think>\nI do not know.", "thoughts"},
		{"Maybe it is shipped.</think>I do not know.", "thoughts of the model (</think>)"},
		{"<think>Maybe it is shipped, but", "thoughts"},
		{"[THINK]Maybe.[/THINK]No.", "thoughts of the model ([/THINK])"},
		{"analysisMaybe.assistantfinalNo.", "thoughts"},
		{"fine<|im_end|>", `"<|im_end|>"`},
		{"fine <|eot_id|>", `"<|eot_id|>"`},
		{"fine</s>", `"</s>"`},
		{"<s>fine", `"<s>"`},
		{"fine<end_of_turn>", `"<end_of_turn>"`},
		{"fine [/INST]", `"[/INST]"`},
		{"<|im_start|>assistant\nfine", `"<|im_start|>`},
		{"fine<|im_end|>\n<|im_start|>user\nmore", `"<|im_start|>user`},
		{"[object Object]", "nothing but"},
		{"undefined", "nothing but"},
		{"{{response}}", "nothing but"},
		{"<html><head><title>502 Bad Gateway</title></head></html>", "nothing but"},

		{"Write </think> to close it.", ""},
		{"I think so.", ""},
		{"The old price is <s>5</s>", ""},
		{"A turn ends with `<|im_end|>`.", ""},
		{"It is undefined", ""},
		{"<html><body>Hello</body></html>", ""},
		{"Dear {{name}}", ""},
		{"[asked]", ""},
	} {
		got := unparsed(&chat.Message{Role: chat.Assistant, Content: tt.text}, nil, []string{"refund"}, false)
		all := strings.Join(got, "\n")
		if (all == "") != (tt.want == "") || !strings.Contains(all, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
	asked := []grading.Exhibit{grading.Show("", "End with <|im_end|>, and write <thinking>…</thinking> first.")}
	said := chat.Message{Role: chat.Assistant, Content: "<thinking>a</thinking>fine<|im_end|>"}
	if got := unparsed(&said, asked, nil, false); len(got) > 0 {
		t.Errorf("marks that were asked for: %q", got)
	}
	said.Role = chat.User
	if got := unparsed(&said, nil, nil, false); len(got) > 0 {
		t.Errorf("marks of a user: %q", got)
	}
}
