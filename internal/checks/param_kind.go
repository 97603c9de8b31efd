package checks

import (
	"slices"

	"github.com/arena-evals/arena/internal/say"
)

// Kind is the meaning of a text parameter. A text that does not fit its kind is refused. A name that the project does
// not have is found before a run: see Compiled.Names.
type Kind string

// The kinds of names in a project. The comment says which method lists their uses, if it is not Names.
const (
	ToolName      Kind = "tool"
	CalledTool    Kind = "tool to call" // see ToolUses
	AgentName     Kind = "agent"
	ArgumentName  Kind = "argument" // of a tool
	SkillName     Kind = "skill"
	StateName     Kind = "state"
	StepName      Kind = "step"      // of a composition
	GuardrailName Kind = "guardrail" // see GuardrailUses
	JudgeName     Kind = "judge"     // for this and the next three, see JudgeUses
	ModelName     Kind = "model"
	ProviderName  Kind = "provider"
	PromptName    Kind = "prompt"
	OtherName     Kind = "name" // of something that no project declares: a field of a reply, a key of metadata
	// ToolPattern is a regular expression for names of tools.
	ToolPattern Kind = "tool pattern"
)

// The kinds of other texts.
const (
	SoughtText Kind = "text"        // searched for literally, must be found
	BannedText Kind = "banned text" // searched for literally, must not be found
	FreeText   Kind = "prose"       // shown, given to a model, or compared by meaning
	SentText   Kind = "sent text"   // sent to a server, with ${NAME} for the environment
)

var nameKinds = []Kind{
	ToolName, CalledTool, AgentName, ArgumentName, SkillName, StateName, StepName, GuardrailName, JudgeName, ModelName,
	ProviderName, PromptName, OtherName,
}

func (k Kind) isName() bool { return slices.Contains(nameKinds, k) }

// known reports whether a tag names a kind of parameter.
func (k Kind) known() bool { return k.isName() || k.isSought() || k == FreeText || k == SentText }

func (k Kind) isSought() bool { return k == SoughtText || k == BannedText }

// kindWords lists the kinds for a message.
func kindWords() string {
	words := make([]string, 0, len(nameKinds)+4)
	for _, k := range append(slices.Clone(nameKinds), SoughtText, BannedText, FreeText, SentText) {
		words = append(words, string(k))
	}
	return say.Or(words)
}
