package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// turnFile is a turn as written in a file.
type turnFile struct {
	Turn
	role, persona, content, parts, turns *node.Node
	owner                                *Scenario
}

// turnFields are the keys of one turn.
var turnFields = table("a turn", func() rows[turnFile] {
	return rows[turnFile]{
		custom("role", text, func(d *decoder, t *turnFile, v *node.Node) {
			t.role = v
			role, _ := d.Name(v, "role")
			t.Role = intern(role)
		}).must("add role: user, and the words of the user as content").doc("user, or a role of self_play."),
		custom("content", text, func(d *decoder, t *turnFile, v *node.Node) {
			t.content, t.Said = v, d.Pos(v)
			t.Content, _ = d.String(v, "content")
			d.warnStandIn(v, "content", true)
		}).doc("What the user says; may hold {{placeholders}}."),
		flag("literal", func(t *turnFile) *bool { return &t.Literal }).
			doc("Says the content as it is, without placeholders."),
		custom("parts", listOf(partFields), func(d *decoder, t *turnFile, v *node.Node) {
			t.parts = v
			d.turnParts(t)
		}).doc("Texts, images, sounds and files instead of content."),
		assertions("assertions", TurnAssertion, func(t *turnFile) *[]Placed { return &t.Assertions }).
			doc("Checks of the reply to this turn."),
		assertions("checks", TurnAssertion, func(t *turnFile) *[]Placed { return &t.Assertions }).
			doc("The same as assertions; where both are there, both count."),
		custom("persona", text, func(d *decoder, t *turnFile, v *node.Node) {
			t.persona = v
			t.selfPlay().Persona, _ = d.Name(v, "persona")
		}).doc("Who speaks, in a turn of self-play."),
		custom("turns", counting, func(d *decoder, t *turnFile, v *node.Node) {
			t.turns = v
			t.selfPlay().MinTurns, _ = d.Int(v, "turns", 1, int(counting.High))
		}).doc("Self-play: the least number of messages to generate."),
		custom("max_turns", counting, func(d *decoder, t *turnFile, v *node.Node) {
			t.turns = v
			t.selfPlay().MaxTurns, _ = d.Int(v, "max_turns", 1, int(counting.High))
		}).doc("Self-play: the most messages to generate, if the talk does not end before."),
		flagPtr("streaming", func(t *turnFile) **bool { return &t.rare().Streaming }).
			doc("Asks the model for a stream in this turn, or not."),
		custom("consent_overrides", mapOf(consents), readConsent).
			doc("What the user answers when a tool asks: grant, deny or timeout."),
		custom("chaos", chaosFields, func(d *decoder, t *turnFile, v *node.Node) { chaosFields.read(d, v, &t.Turn) }).
			doc("Faults to inject during this turn."),
		custom("perturbations", mapOf(texts), readPerturbations).
			doc("Texts for {name} in the content; each combination is a trial of its own."),
		seed("seed", func(t *turnFile) **int64 { return &t.rare().Seed }).
			doc("The seed of the model calls of this turn, in the first trial; each further one has one more."),
		numPtr("assistant_temp", keys.Number{Low: 0, High: 2}, func(t *turnFile) **float64 { return &t.rare().Temperature }).
			doc("The temperature of the assistant in this turn, in place of all others but --temperature."),
		numPtr("user_temp", keys.Number{Low: 0, High: 2}, func(t *turnFile) **float64 { return &t.selfPlay().Temperature }).
			doc("The temperature of the model that plays the user."),
		custom("mock", mockTurnFields, func(d *decoder, t *turnFile, v *node.Node) {
			mock := &TurnMock{}
			t.rare().Mock = mock
			mock.Calls = d.mockUses(func() { mock.Replies = d.inlineMock(v) })
		}).doc("Canned replies to this turn, one for each round of tool calls. They win over a mock_config; the numbered " +
			"replies of --mock-config win over them."),
		gone[turnFile]("conversation_assertions", "conversation_assertions belongs to the scenario",
			"move it out of the turn, to the level of turns"),
	}
}).strays(func(key string) string {
	if key == "user" || key == "human" || key == "prompt" || key == "input" {
		return "write role: user, and what the user says as content"
	}
	return ""
}).shows("{role: user, content: …}")

func readTurns(d *decoder, s *Scenario, v *node.Node) {
	if v.Kind == node.List && len(v.Content) == 0 && s.Skip == "" {
		d.Errorf(v, "empty-value", "turns is empty: there is nothing to run")
		return
	}
	if v.Kind == node.List {
		s.Turns = make([]Turn, 0, len(v.Content))
	}
	d.Items(v, "turns", func(_ int, item *node.Node) {
		t := turnFile{owner: s}
		t.Pos = d.Pos(item)
		t.Said = t.Pos
		if turnFields.read(d, item, &t) {
			d.judgeTurn(item, &t)
			s.Turns = append(s.Turns, t.Turn)
		}
	})
	d.perturbed(s)
}

// judgeTurn checks the combination of keys in a turn.
func (d *decoder) judgeTurn(n *node.Node, t *turnFile) {
	switch t.Role {
	case "":
		return // reported already
	case "user":
		d.scripted(n, t)
	case "system", "developer":
		d.Errorf(t.role, "wrong-role", "a turn cannot have the role %q: it is what the user says", t.Role).
			Hint = "what the agent is told stands in its prompt, as system_template"
	case "assistant", "tool", "function":
		d.Errorf(t.role, "wrong-role", "a turn cannot have the role %q: it is what the user says", t.Role).
			Hint = "write role: user; its assertions judge the reply"
	default:
		if t.content != nil && t.persona == nil && t.turns == nil && diag.Nearest(t.Role, []string{"user"}) != "" {
			d.Errorf(t.role, "unknown-name", "the role %q is unknown; expected user", t.Role).Hint = `did you mean "user"?`
			return
		}
		d.generated(t)
	}
}

func (d *decoder) scripted(n *node.Node, t *turnFile) {
	switch {
	case t.parts == nil && t.content == nil:
		d.Missing(n, "a user turn", "content")
	case len(t.Parts) == 0 && t.content != nil && t.content.Kind == node.Scalar && strings.TrimSpace(t.Content) == "":
		d.Errorf(t.content, "empty-value", "content is empty")
	case t.content == nil && t.parts.Kind == node.List && len(t.parts.Content) == 0:
		d.Errorf(t.parts, "empty-value", "parts is empty")
	case t.content == nil && len(t.Parts) > 0 && blankParts(t.Parts):
		d.Errorf(t.parts, "empty-value", "parts has nothing but blanks: nothing is asked")
	case len(t.Parts) > 0 && t.content != nil:
		d.Foreignf(t.content, "unused-field", "content is not sent: the turn has parts").
			Hint = "make it a part of its own: {type: text, text: …}"
	}
	if t.persona != nil {
		d.Foreignf(t.persona, "unused-field", "a turn of the role user has no persona").
			Hint = "name the role of self_play that the persona plays, or remove it"
	}
	if t.turns != nil {
		d.Foreignf(t.turns, "unused-field", "a turn of the role user is sent once").
			Hint = "turns and max_turns are for roles of self_play"
	}
	if play := t.More().SelfPlay; play != nil && play.Temperature != nil {
		d.Warnf(node.Get(n, "user_temp"), NoEffect,
			"user_temp has no effect in a turn of the role user, which is not simulated")
	}
	if t.Literal && len(t.More().Perturbations) > 0 {
		d.Errorf(node.Get(n, "perturbations"), "unused-perturbation",
			"the turn is literal: nothing is put into its content").Hint = "remove literal or perturbations"
	}
	d.flattenParts(t)
}

func (d *decoder) generated(t *turnFile) {
	d.refer(toRole, t.role)
	d.refer(toPersona, t.persona)
	if t.persona == nil && t.content == nil && t.parts == nil {
		d.Missing(t.role, "a turn of self-play", "persona")
	}
	play := t.selfPlay()
	play.MinTurns = max(play.MinTurns, 1)
	if play.MaxTurns > 0 && play.MaxTurns < play.MinTurns {
		d.Errorf(t.turns, "empty-window", "max_turns %d is below turns %d", play.MaxTurns, play.MinTurns).Hint =
			"turns is the least number of messages, max_turns the most: raise one or lower the other"
	}
	if t.content != nil || t.parts != nil {
		at := t.content
		if at == nil {
			at = t.parts
		}
		d.Errorf(at, "unused-field", "a turn of the role %q has no content: the model that plays the role writes it", t.Role).
			Hint = "write role: user, or take the content out"
	}
	if len(t.More().Perturbations) > 0 {
		d.Errorf(t.role, "unused-perturbation", "a turn of self-play has no content into which perturbations could be put").
			Hint = "move perturbations to the turn whose content holds the names"
	}
}
