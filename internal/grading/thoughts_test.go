package grading

import "testing"

func TestSpoken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want, mark string }{
		{"<think>plan</think>fine", "fine", "</think>"},
		{"<think>plan", "", "</think>"},
		{"<think>a</think>\n<think>b</think>fine", "fine", "</think>"},
		{"One.\n<think>plan</think>\nTwo.", "One.\n\nTwo.", "</think>"},
		{"plan</think>fine", "fine", "</think>"},
		{"</think>fine", "fine", "</think>"},
		{"plan\n</think>\n\nfine", "fine", "</think>"},
		{"Let me see. </think> No.", "No.", "</think>"},
		{"plan </think>\nfine", "fine", "</think>"},
		{"plan</think>", "", "</think>"},
		{"<thinking>plan</thinking>fine", "fine", "</thinking>"},
		{"plan</thinking>fine", "fine", "</thinking>"},
		{"<thought>plan</thought>fine", "fine", "</thought>"},
		{"<reasoning>plan</reasoning>fine", "fine", "</reasoning>"},
		{"<reflection>plan</reflection>fine", "fine", "</reflection>"},
		{"<scratchpad>plan</scratchpad>fine", "fine", "</scratchpad>"},
		{"<seed:think>plan</seed:think>fine", "fine", "</seed:think>"},
		{"[THINK]plan[/THINK]fine", "fine", "[/THINK]"},
		{"◁think▷plan◁/think▷fine", "fine", "◁/think▷"},
		{"<|begin_of_thought|>plan<|end_of_thought|>fine", "fine", "<|end_of_thought|>"},
		{"Thought: plan\nFinal Answer: fine", "fine", "Final Answer:"},
		{"<|channel|>analysis<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>fine<|return|>", "fine",
			"<|channel|>"},
		{"<|start|>assistant<|channel|>analysis<|message|>plan<|end|>", "", "<|channel|>"},
		{"analysisWe need to answer.assistantfinalfine", "fine", "assistantfinal"},
		{"assistantfinal fine", "fine", "assistantfinal"},

		{"Write </think> to close it.", "Write </think> to close it.", ""},
		{"Write `</think>` to close it.", "Write `</think>` to close it.", ""},
		{`{"tag": "x</think>"}`, `{"tag": "x</think>"}`, ""},
		{"Between <think> and </think> it thinks.", "Between <think> and </think> it thinks.", ""},
		{"<reasoning> is a tag.", "<reasoning> is a tag.", ""},
		{"Thought: I am.", "Thought: I am.", ""},
		{"Final Answer: 4", "Final Answer: 4", ""},
		{"analysis of the assistant", "analysis of the assistant", ""},
		{"The marks are <|channel|> and <|message|>.", "The marks are <|channel|> and <|message|>.", ""},
	} {
		if got, mark := Spoken(tt.text, nil); got != tt.want || mark != tt.mark {
			t.Errorf("%q: %q and mark %q, want %q and %q", tt.text, got, mark, tt.want, tt.mark)
		}
	}
	asked := []Exhibit{Show("prompt", "Answer as <reasoning>…</reasoning> and the answer.")}
	const text = "<reasoning>plan</reasoning>fine"
	if got, mark := Spoken(text, asked); got != text || mark != "" {
		t.Errorf("tags that were asked for: %q and mark %q", got, mark)
	}
}
