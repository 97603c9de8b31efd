package scenario

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/node"
)

// AgentSkill is a skill of a simulated agent. Tools of mode ToolOfAgent call it.
type AgentSkill struct {
	Agent string // its name in the config
	Card  string // its name on its card
	Rules []AgentRule
}

// ToolOfAgent is the mode of tools that represent a skill of a simulated agent. No file of a tool can have it.
const ToolOfAgent = "a2a"

// AgentRule is an answer of a simulated agent. It applies to messages that match both conditions.
type AgentRule struct {
	Contains string // "": anything; case does not matter
	Regex    string // "": anything
	Texts    []string
	Error    string // the task fails with this error; "": it does not fail
}

// skillCard is a skill on the card of a simulated agent.
type skillCard struct {
	id, name, description string
	at                    *node.Node // the id
}

var cardFields = table("card", func() rows[agentFile] {
	return rows[agentFile]{
		label("name", func(a *agentFile) *string { return &a.cardName }).must().
			doc("The name of the agent; it stands in the names of its tools."),
		inside[agentFile]("description", text).must().doc("What the agent is for."),
		objects("skills", skillCardFields, func(a *agentFile) *[]skillCard { return &a.skills }).must().
			doc("What the agent can do. Each is a tool."),
	}
})

var skillCardFields = table("a skill", func() rows[skillCard] {
	return rows[skillCard]{
		custom("id", text, func(d *decoder, s *skillCard, v *node.Node) {
			s.id, _ = d.Name(v, "id")
			s.at = v
		}).must().doc("It stands in the name of the tool."),
		str("name", func(s *skillCard) *string { return &s.name }).must().doc("The name of the skill."),
		str("description", func(s *skillCard) *string { return &s.description }).must().doc("Models read it."),
		inside[skillCard]("tags", texts).doc("Words to find the skill by."),
	}
})

// ruleFile is an answer of a simulated agent as written in a file.
type ruleFile struct {
	AgentRule
	at       *node.Node
	skill    *node.Node // nil: of any
	response *node.Node
	failed   *node.Node // error
}

// ofSkill reports whether the rule applies to a skill.
func (r *ruleFile) ofSkill(id string) bool {
	return r.skill == nil || r.skill.Value == "" || r.skill.Value == id
}

var responseFields = table("a response", func() rows[ruleFile] {
	return rows[ruleFile]{
		custom("skill", text, func(d *decoder, r *ruleFile, v *node.Node) {
			if _, ok := d.String(v, "skill"); ok {
				r.skill = v
			}
		}).doc("The skill that is asked for; any when left out."),
		object("match", matchFields, func(r *ruleFile) *ruleFile { return r }).
			doc("What the query must be like; anything when left out."),
		custom("response", answerFields, func(d *decoder, r *ruleFile, v *node.Node) {
			r.response = v
			answerFields.read(d, v, r)
		}).doc("The answer."),
		custom("error", text, func(d *decoder, r *ruleFile, v *node.Node) {
			r.failed = v
			r.Error, _ = d.Name(v, "error")
		}).doc("The task fails, with this text."),
	}
})

var matchFields = table("match", func() rows[ruleFile] {
	return rows[ruleFile]{
		label("contains", func(r *ruleFile) *string { return &r.Contains }).
			doc("A text in the query; the case of letters does not matter."),
		custom("regex", text, func(d *decoder, r *ruleFile, v *node.Node) {
			regex, ok := d.Name(v, "regex")
			if _, err := regexp.Compile(regex); ok && err != nil {
				d.Errorf(v, "bad-regex", "regex is not a regular expression: %v", err)
				return
			}
			r.Regex = regex
		}).doc("A regular expression for something in the query."),
	}
})

var answerFields = table("response", func() rows[ruleFile] {
	return rows[ruleFile]{
		custom("parts", listOf(answerPartFields), func(d *decoder, r *ruleFile, v *node.Node) {
			d.Items(v, "parts", func(_ int, item *node.Node) { answerPartFields.read(d, item, r) })
			if v.Kind == node.List && len(v.Content) == 0 {
				d.Errorf(v, "empty-value", "parts is empty: the agent would answer nothing")
			}
		}).must().doc("The parts of the answer."),
	}
})

var answerPartFields = table("a part", func() rows[ruleFile] {
	return rows[ruleFile]{
		custom("text", text, func(d *decoder, r *ruleFile, v *node.Node) {
			if said, ok := d.String(v, "text"); ok {
				r.Texts = append(r.Texts, said)
			}
		}).must().doc("What the agent says."),
	}
})

// simulated makes the tools for the skills of a simulated agent.
func (d *decoder) simulated(a *agentFile) (list []*Tool) {
	if a.cardName != "" && a2a.Plain(a.cardName) == "" {
		d.Errorf(node.Get(a.card, "name"), "wrong-name", "%q is not a name for an agent", a.cardName).Hint =
			"it needs a letter a to z or a digit: the names of its tools are made of them"
	}
	ids := make([]string, len(a.skills))
	for i := range a.skills {
		ids[i] = a.skills[i].id
	}
	d.agentRules(a, ids)
	for _, key := range []string{"allowlist", "blocklist"} {
		for _, entry := range entries(node.Get(a.filter, key)) {
			if !means(entry.Value, ids) {
				d.Errorf(entry, "unknown-name", "skill_filter: there is no skill %q", entry.Value).Hint =
					cmp.Or(a.Skills.Nearest(entry.Value, ids), hintNames(entry.Value, ids))
			}
		}
	}
	for i := range a.skills {
		s := &a.skills[i]
		switch {
		case s.id == "" || a2a.Plain(a.cardName) == "": // reported already
			continue
		case a2a.Plain(s.id) == "":
			d.Errorf(s.at, "wrong-name", "%q is not an id for a skill", s.id).Hint =
				"it needs a letter a to z or a digit: the name of its tool is made of them"
			continue
		case !a.Skills.Takes(s.id):
			continue
		}
		t := &Tool{
			Meta: Meta{ID: a2a.ToolName(a.cardName, s.id), Pos: d.Pos(s.at)}, File: d.File, Mode: ToolOfAgent,
			Description: s.description, InputSchema: a2a.Schema(nil), InputPos: d.Pos(s.at),
			Agent: &AgentSkill{Agent: a.Name, Card: a.cardName},
		}
		if t.Description == "" {
			t.Description = s.name
		}
		for j := range a.rules {
			if a.rules[j].ofSkill(s.id) {
				t.Agent.Rules = append(t.Agent.Rules, a.rules[j].AgentRule)
			}
		}
		list = append(list, t)
	}
	return list
}

// agentRules checks the answers of a simulated agent.
func (d *decoder) agentRules(a *agentFile, skills []string) {
	if len(a.rules) == 0 && a.responses == nil {
		d.Warnf(node.Get(a.card, "name"), "no-responses", "the agent %q has no responses: every call of it is an error",
			a.Name)
	}
	for i := range a.rules {
		r := &a.rules[i]
		if r.skill != nil && r.skill.Value != "" && !slices.Contains(skills, r.skill.Value) {
			d.unknownName(r.skill, "skill", skills)
		}
		switch {
		case r.response == nil && r.failed == nil:
			d.Missing(r.at, "a response", "response or error")
		case r.response != nil && r.failed != nil:
			d.Warnf(r.response, NoEffect, "response has no effect: the task fails with error")
		}
		earlier := slices.IndexFunc(a.rules[:i], func(before ruleFile) bool { return before.answersAll(r, skills) })
		if earlier >= 0 && (r.response != nil || r.failed != nil) {
			d.Warnf(r.at, NoEffect, "this response has no effect: the one on line %d answers before it",
				a.rules[earlier].at.Line)
		}
	}
}

// answersAll reports whether a rule answers every message that a later rule would.
func (r *ruleFile) answersAll(later *ruleFile, skills []string) bool {
	same := r.Contains == "" && r.Regex == "" || r.Contains == later.Contains && r.Regex == later.Regex
	return same && !slices.ContainsFunc(skills, func(id string) bool { return later.ofSkill(id) && !r.ofSkill(id) })
}
