package scenario

import "github.com/arena-evals/arena/internal/node"

// settingKeys are the keys of a scenario that affect its conversation and its judges, independent of its turns. A chat
// with its agent that is saved as a scenario copies them.
var settingKeys = map[string]bool{
	"variables": true, "context_metadata": true, "providers": true, "provider_group": true, "required_capabilities": true,
	"tool_policy": true, "context_policy": true, "seed_memories": true, "timeout": true, "on_failure": true,
	"judge_gate": true, "metadata": true, "output_schema": true,
}

// notOfSetting are the other keys, with the reason why they are not copied.
var notOfSetting = map[string]string{
	"id": "a talk has its own", "name": "a talk has its own", "description": "a talk has its own",
	"task_type": "the talk says with which prompt it began, also where none is named",
	"streaming": "the talk says whether its replies were streamed",
	"labels":    "they are in Labels", "tags": "they are in Tags",
	"turns": "the talk has its own", "dataset": "the talk is about no row", "input_field": "the talk is about no row",
	"conversation_assertions": "they judge another conversation", "checks": "they judge another conversation",
	"trials": "the talk was had once", "quarantine": "it is about another test", "skip": "nobody talks about what is " +
		"skipped",
	"duplex": "the scenario is skipped", "voice": "the scenario is skipped",
	"mode": "it has no effect", "context": "it has no effect", "constraints": "it has no effect",
}

// Setting is the part of a scenario's file that also applies to another conversation with its agent, unchanged; nil:
// there is none, or it was loaded without KeepWritten.
func (s *Scenario) Setting() *node.Node {
	if s.written == nil {
		return nil
	}
	return node.Pick(s.written, func(key string) bool { return settingKeys[key] })
}
