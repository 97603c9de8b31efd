package checks

// The properties of a Def in words, for documentation.

// Words names the surfaces.
func (s Surfaces) Words() []string {
	return worded(s, []Surfaces{OnAssertion, OnGuardrail, OnEval}, []string{"assertion", "guardrail", "eval"})
}

// String names the scope.
func (s Scope) String() string {
	if s == WholeAlways {
		return "the whole conversation, wherever it stands"
	}
	return "the turn in a turn's assertions, the conversation elsewhere"
}

// LooksAt says what a check looks at, depending on its surface.
func (d *Def) LooksAt() string {
	if d.Scope == AsWritten && (d.Reads == ReadsReply || d.LastReply) {
		return "the last reply of the turn in a turn's assertions, the last one of the conversation elsewhere"
	}
	if d.About == CompositionPart {
		return "the steps of the turn in a turn's assertions; elsewhere those of the last turn that had any, or of every " +
			"turn where it forbids something (not, or a max_score below 1)"
	}
	return d.Scope.String()
}

// Words names the needs.
func (n Needs) Words() []string {
	return worded(n, []Needs{
		NeedsReply, NeedsCalls, NeedsUsage, NeedsMedia, NeedsWorkflow, NeedsCompute, NeedsEmbedding, NeedsTool,
		NeedsProcess, NeedsNetwork, NeedsModel,
	}, []string{
		"a reply", "tool calls", "time, tokens or cost", "media", "a workflow", "time to compute", "an embedding model",
		"a tool", "a program", "the network", "a language model",
	})
}

func worded[S ~uint8 | ~uint16](set S, members []S, words []string) []string {
	out := []string{}
	for i, m := range members {
		if set&m != 0 {
			out = append(out, words[i])
		}
	}
	return out
}
