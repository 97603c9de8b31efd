package scenario

import (
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// scenarioFields are the keys of kind Scenario.
var scenarioFields = table("a scenario", func() rows[Scenario] {
	return rows[Scenario]{
		ownName[Scenario]("id"),
		ownName[Scenario]("name"),
		str("description", func(s *Scenario) *string { return &s.Description }).doc("What the conversation is about."),
		custom("task_type", text, func(d *decoder, s *Scenario, v *node.Node) {
			task, _ := d.Name(v, "task_type")
			s.TaskType = intern(task)
			s.TaskTypePos = d.Pos(v)
			d.refer(toTask, v)
		}).doc("The task type of the prompt under test. Left out: the only prompt there is; with several it must be said."),
		custom("turns", listOf(turnFields), readTurns).
			doc("The conversation: what the user says, one entry after the other. It may be left out with input_field alone."),
		custom("dataset", text, readDataset).
			doc("A file with rows, beside this one: .jsonl, .csv, .tsv, .json or .yaml. The scenario is run once for each, " +
				"and {{field}} stands for its fields."),
		custom("input_field", text, readInputField).
			doc("The field of a row that is what the user says, in place of turns."),
		assertions("conversation_assertions", ConversationAssertion, func(s *Scenario) *[]Placed { return &s.Conversation }).
			doc("Checks over the whole conversation, after its last turn."),
		assertions("checks", ConversationAssertion, func(s *Scenario) *[]Placed { return &s.Conversation }).
			doc("The same as conversation_assertions; where both are there, both count."),
		givenMap("variables", func(s *Scenario) *map[string]string { return &s.Variables },
			func(d *decoder, s *Scenario, g givenVariable) {
				g.scenario = s
				s.Shapes = g.noteShape(s.Shapes)
				d.given = append(d.given, g)
			}).doc("Values for {{placeholders}}, before those of prompts and config."),
		custom("context_metadata", contextFields, func(d *decoder, s *Scenario, v *node.Node) {
			contextFields.read(d, v, &s.Context)
			at := s.placesOf()
			at.domain, at.userRole = d.keyPos(v, "domain"), d.keyPos(v, "user_role")
		}).
			doc("Who talks about what, for the variables domain and user_role."),
		flag("streaming", func(s *Scenario) *bool { return &s.Streaming }).doc("Asks the model for a stream."),
		trialsField(func(s *Scenario) **Trials { return &s.Trials }).
			doc("How often to repeat the conversation: a number, or a map that ends as soon as the trials show enough. Left " +
				"out: trials of defaults.").
			preset("1"),
		custom("providers", texts, readProviderNames).
			doc("Runs only against these providers. Left out: those of provider_group."),
		custom("provider_group", text, func(d *decoder, s *Scenario, v *node.Node) {
			s.Group, _ = d.Name(v, "provider_group")
			s.placesOf().group = d.Pos(v)
			d.refer(toGroup, v)
		}).doc("Runs only against the providers of this group. Left out: those of the group default."),
		custom("required_capabilities", listOf(capabilities), func(d *decoder, s *Scenario, v *node.Node) {
			s.Capabilities = d.wordList(v, "required_capabilities", capabilities)
		}).doc("Runs only against those of its providers whose capabilities list all of this."),
		toolPolicy(func(s *Scenario, p *ToolPolicy) { s.ToolPolicy = p }).
			doc("Limits for the tool calls of the conversation."),
		custom("context_policy", contextPolicyFields, readContextPolicy).
			doc("How long the conversation may be that a model is sent, and what is left out when it is longer."),
		custom("seed_memories", listOf(seedMemoryFields), readSeedMemories).
			doc("What the agent remembers before the conversation begins."),
		custom("labels", textMap, func(d *decoder, s *Scenario, v *node.Node) { s.Labels = d.plainMap(v, "labels", nil) }).
			doc("Names and values that are copied into the results."),
		tags("tags", "tag", func(s *Scenario) *[]string { return &s.Tags }).doc("Words to select scenarios by."),
		custom("skip", text, readSkip).doc("Why the scenario is not run."),
		quarantineField(func(s *Scenario) **Quarantine { return &s.Quarantine }),
		dur("timeout", func(s *Scenario) *time.Duration { return &s.Timeout }).
			doc("The longest that the conversation may take, such as 90s. Left out: run_timeout of the config."),
		word("on_failure", onFailure, func(s *Scenario) *string { return &s.OnFailure }).
			doc("Whether a failed check of a turn ends the conversation; one that may fail by its pass_threshold does not.").
			preset("continue"),
		flagPtr("judge_gate", func(s *Scenario) **bool { return &s.JudgeGate }).
			doc("Asks no judge once a check has failed that needs none and must not fail by its pass_threshold."),
		custom("metadata", anyMap, func(d *decoder, s *Scenario, v *node.Node) {
			if all, ok := d.Any(v).(map[string]any); ok {
				s.Metadata = all
			} else {
				d.Fields(v, "metadata", nil, nil) // reports it
			}
		}).doc("Values for checks: what a context_field names, and the metadata that programs get."),
		custom("output_schema", schemaShape{}, func(d *decoder, s *Scenario, v *node.Node) {
			s.OutputSchema = d.outputSchema(v)
		}).doc("JSON Schema of the replies, or the file that holds it; models that can are held to it."),
		custom("duplex", duplexFields, func(d *decoder, s *Scenario, v *node.Node) {
			duplexFields.Check(d, v, "duplex")
			s.Skip = "audio"
		}).later("audio").doc("A conversation in sound; the scenario is skipped."),
		custom("voice", text, func(d *decoder, s *Scenario, v *node.Node) {
			if says, isBool := boolOf(v); isBool && !says {
				return // it has none
			}
			d.String(v, "voice")
			s.Skip = "audio"
		}).later("audio").doc("The voice of the user; the scenario is skipped."),
		idle[Scenario]("mode", text, "conversations are held turn by turn"),
		idle[Scenario]("context", anyMap, "no check and no prompt reads it; variables and metadata are read"),
		idle[Scenario]("constraints", anyMap, "set limits in tool_policy, in timeout, or as assertions"),
		gone[Scenario]("assertions", `"assertions" belongs to a turn`,
			"put it under the turn that it judges, or write conversation_assertions for the whole conversation"),
		gone[Scenario]("messages", `a scenario has no "messages"`,
			"write turns, with what the user says alone; for a recording leave out the other keys, and run arena eval on it"),
	}
}).strays(func(key string) string {
	switch key {
	case "vars":
		return `did you mean "variables"?`
	case "chaos", "tool_failures":
		return "tools fail in a turn: write chaos: {tool_failures: […]} under the turn from which they are to"
	}
	return ""
})

var onFailure = words("continue", "stop")

// capabilities are the capabilities that providers declare.
var capabilities = words("text", "streaming", "vision", "tools", "json", "audio", "video", "documents", "duplex")

var contextFields = table("context_metadata", func() rows[ContextMetadata] {
	return rows[ContextMetadata]{
		str("domain", func(c *ContextMetadata) *string { return &c.Domain }).doc("What the conversation is about."),
		str("user_role", func(c *ContextMetadata) *string { return &c.UserRole }).doc("Who the user is."),
		idle[ContextMetadata]("project_stage", text, "only domain and user_role become variables"),
	}
})

var duplexFields = table("duplex", func() rows[struct{}] {
	return rows[struct{}]{
		inside[struct{}]("timeout", text).doc("How long the conversation may last."),
		inside[struct{}]("turn_detection", part("turn_detection",
			inside[struct{}]("mode", text).doc("Who notices that a turn has ended."),
			inside[struct{}]("vad", part("vad",
				inside[struct{}]("silence_threshold_ms", natural).doc("How long a silence ends a turn, in milliseconds."),
				inside[struct{}]("min_speech_ms", natural).doc("How long speech must last to count, in milliseconds."),
				inside[struct{}]("max_turn_duration_s", natural).doc("How long a turn may last, in seconds."),
			)).doc("How a turn is told from silence."),
		)).doc("How the end of a turn is noticed."),
		inside[struct{}]("resilience", part("resilience",
			inside[struct{}]("max_retries", natural).doc("How often a lost connection is opened again."),
			inside[struct{}]("retry_delay_ms", natural).doc("How long is waited before that, in milliseconds."),
			inside[struct{}]("partial_success_min_turns", natural).
				doc("After how many turns a conversation that broke off counts."),
			inside[struct{}]("ignore_last_turn_session_end", boolean).doc("Whether the connection may end in the last turn."),
		)).doc("What happens when the connection is lost."),
	}
})

func readProviderNames(d *decoder, s *Scenario, v *node.Node) {
	names, ok := d.Strings(v, "providers")
	if !ok {
		return
	}
	s.Providers = names
	d.referAll(toProvider, v)
	if len(names) == 0 {
		d.Errorf(v, "empty-value", "providers is empty: the scenario would never run").
			Hint = "name a provider, or remove the line"
	}
}

// readSkip reads the reason for skipping a scenario. A boolean false, in any YAML spelling, is not a reason.
func readSkip(d *decoder, s *Scenario, v *node.Node) {
	const hint = "write the reason in words, or take the line out"
	says, isBool := boolOf(v)
	reason := ""
	switch {
	case isBool && !says:
		return
	case isBool:
		d.Errorf(v, "wrong-type", "skip must say why the scenario is not run, found %s", v.Value).Hint = hint
	case v.Kind == node.Scalar && v.ShortTag() != "!!str":
		d.Errorf(v, "wrong-type", "skip must be text, found %s", v.Value).Hint = hint
	default:
		reason, _ = d.Name(v, "skip")
	}
	nothing := []string{"true", "false", "yes", "no", "on", "off", "0", "1", "null", "none", "~"}
	if slices.Contains(nothing, strings.ToLower(strings.TrimSpace(reason))) {
		d.Errorf(v, "wrong-type", "skip must say why the scenario is not run, found the text %q", reason).Hint = hint
		return
	}
	s.Skip = reason
}

// boolOf returns the boolean of a value in any YAML version, including yes, no, on and off.
func boolOf(n *node.Node) (says, ok bool) {
	if n.Kind == node.Scalar && n.ShortTag() == "!!bool" {
		return strings.EqualFold(n.Value, "true"), true
	}
	return node.IsYAML11Bool(n)
}

// wordList reads a list of words of one vocabulary.
func (d *decoder) wordList(n *node.Node, what string, of keys.Words) []string {
	var list []string
	if n.Kind == node.Scalar && !node.IsNull(n) {
		if w, ok := d.OneOf(n, what, of...); ok {
			list = append(list, w)
		}
		return list
	}
	d.Items(n, what, func(_ int, v *node.Node) {
		if w, ok := d.OneOf(v, "an entry of "+what, of...); ok {
			list = append(list, w)
		}
	})
	return list
}

// scenario reads a document of kind Scenario.
func (d *decoder) scenario(doc document) *Scenario {
	s := &Scenario{Meta: doc.meta, File: d.File}
	if !scenarioFields.read(d, doc.spec, s) {
		return nil
	}
	if d.keepWritten {
		s.written = doc.spec
	}
	d.settleDataset(doc.spec, s)
	return s
}
