package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// scenarioFields are the keys of kind Scenario.
var scenarioFields = table("a scenario",
	drop[Scenario]("id", text), // read with the name of the document
	str("description", func(s *Scenario) *string { return &s.Description }),
	custom("task_type", text, func(d *decoder, s *Scenario, v *node.Node) {
		s.TaskType, _ = d.Name(v, "task_type")
		s.TaskTypePos = d.Pos(v)
	}),
	custom("turns", listShape{turnFields}, readTurns),
	assertions("conversation_assertions", ConversationAssertion, func(s *Scenario) *[]*Check { return &s.Conversation }),
	strMap("variables", func(s *Scenario) *map[string]string { return &s.Variables }),
	object("context_metadata", contextFields, func(s *Scenario) *ContextMetadata { return &s.Context }),
	flag("streaming", func(s *Scenario) *bool { return &s.Streaming }),
	whole("trials", numShape{low: 1, high: maxTrials, whole: true}, func(s *Scenario) *int { return &s.Trials }),
	custom("providers", texts, readScenarioProviders),
	custom("provider_group", text, func(d *decoder, s *Scenario, v *node.Node) {
		s.Group, _ = d.Name(v, "provider_group")
		s.GroupPos = d.Pos(v)
		d.refer(toGroup, v, s.ID)
	}),
	custom("required_capabilities", listShape{capabilityWords}, func(d *decoder, s *Scenario, v *node.Node) {
		s.Capabilities = d.capabilities(v, "required_capabilities")
	}),
	object("tool_policy", toolPolicyFields[Scenario](), func(s *Scenario) *policyOf[Scenario] { return newPolicy(s) }),
)
