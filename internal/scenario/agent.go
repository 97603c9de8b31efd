package scenario

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Agent is an agent elsewhere that is asked over A2A. Its card says what it can do.
type Agent struct {
	Name      string
	URL       string // without a slash at its end; the environment stands in it
	Written   string // the same as the file has it
	URLPos    diag.Pos
	Timeout   time.Duration
	Scheme    string            // of the Authorization header; "": there is no token
	Token     string            `digest:"-"` // as the file has it; the environment stands in it
	TokenFrom EnvHeader         // the variable that holds the token; "": Token does
	Headers   map[string]string `digest:"-"` // the environment stands in them
	FileHeads map[string]string // the same as the file has them
	FromEnv   []EnvHeader
	Skills    NameFilter
}

// AgentSkill is a skill of a simulated agent, which a tool of mode ToolOfAgent calls.
type AgentSkill struct {
	Agent string // its name in the config
	Card  string // its name on its card
	Rules []AgentRule
}

// ToolOfAgent is the mode of tools that stand for a skill of a simulated agent. No file of a tool can have it.
const ToolOfAgent = "a2a"

// AgentRule is one of the answers of a simulated agent. It answers what matches both of its conditions.
type AgentRule struct {
	Contains string // "": anything; the case of letters does not matter
	Regex    string // "": anything
	Texts    []string
	Error    string // the task fails with it; "": it does not
}

// NameFilter chooses among names that another program lists. An entry may end in *.
type NameFilter struct {
	Allow []string // none: all that are not blocked
	Block []string
	Pos   diag.Pos
}

// Takes reports whether a name is chosen.
func (f *NameFilter) Takes(name string) bool {
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(entry string) bool {
			prefix, wild := strings.CutSuffix(entry, "*")
			return entry == name || wild && strings.HasPrefix(name, prefix)
		})
	}
	if len(f.Allow) > 0 {
		return in(f.Allow)
	}
	return !in(f.Block)
}

// Missing are the entries that mean none of the names. Those that end in * may mean none.
func (f *NameFilter) Missing(names []string) []string {
	return slices.DeleteFunc(slices.Concat(f.Allow, f.Block), func(entry string) bool {
		return strings.HasSuffix(entry, "*") || slices.Contains(names, entry)
	})
}

// defaultAgentTimeout is how long an agent may take that is not told.
const defaultAgentTimeout = 60 * time.Second

// agentFile is an agent as it stands in a file: simulated or remote.
type agentFile struct {
	*Agent
	card, url, responses, filter *node.Node
	token, variable              *node.Node            // of auth
	remote                       map[string]*node.Node // keys that are about a remote agent
	cardName                     string
	skills                       []skillCard
	rules                        []ruleFile
}

// note notes a key that is about a remote agent.
func (a *agentFile) note(name string, v *node.Node) {
	if a.remote == nil {
		a.remote = map[string]*node.Node{}
	}
	a.remote[name] = v
}

type skillCard struct {
	id, name, description string
	at                    *node.Node // the id
}

// agentFields are the keys of an agent behind A2A, simulated or remote.
var agentFields = table("an agent", func() rows[agentFile] {
	return rows[agentFile]{
		label("name", func(a *agentFile) *string { return &a.Name }).must().doc("The name of the agent in this config."),
		custom("card", cardFields, func(d *decoder, a *agentFile, v *node.Node) {
			a.card = v
			cardFields.read(d, v, a)
		}).doc("What a simulated agent can do."),
		custom("responses", listOf(responseFields), func(d *decoder, a *agentFile, v *node.Node) {
			a.responses = v
			d.Items(v, "responses", func(_ int, item *node.Node) {
				r := ruleFile{at: item}
				if responseFields.read(d, item, &r) {
					a.rules = append(a.rules, r)
				}
			})
		}).doc("What a simulated agent answers; the first response that fits."),
		custom("url", text, readAgentURL).doc("The address of a remote agent; its card is below it."),
		custom("auth", authFields, func(d *decoder, a *agentFile, v *node.Node) {
			a.note("auth", v)
			readAgentAuth(d, a, v)
		}).doc("What a remote agent is told to know who asks."),
		custom("headers", textMap, func(d *decoder, a *agentFile, v *node.Node) {
			a.note("headers", v)
			a.FileHeads, _ = d.headerMap(v, "headers")
			a.Headers = make(map[string]string, len(a.FileHeads))
			for name, value := range a.FileHeads {
				a.Headers[name] = d.expand(node.Get(v, name), value)
			}
		}).doc("Headers of every request to a remote agent."),
		custom("headers_from_env", texts, func(d *decoder, a *agentFile, v *node.Node) {
			a.note("headers_from_env", v)
			a.FromEnv = d.envHeaders(v)
		}).doc("Headers with the variable that holds their value: NAME=VARIABLE."),
		custom("timeout_ms", natural, func(d *decoder, a *agentFile, v *node.Node) {
			a.note("timeout_ms", v)
			if ms, ok := d.Int(v, "timeout_ms", 0, int(natural.High)); ok {
				a.Timeout = time.Duration(ms) * time.Millisecond
			}
		}).doc("How long a call may take, with its task; 60000 when left out."),
		custom("skill_filter", nameFilterFields, func(d *decoder, a *agentFile, v *node.Node) {
			a.filter, a.Skills.Pos = v, d.Pos(v)
			nameFilterFields.read(d, v, &a.Skills)
		}).doc("Which skills are offered."),
	}
})

var nameFilterFields = table("a filter", func() rows[NameFilter] {
	return rows[NameFilter]{
		strs("allowlist", func(f *NameFilter) *[]string { return &f.Allow }).doc("Only these; an entry may end in *."),
		strs("blocklist", func(f *NameFilter) *[]string { return &f.Block }).doc("All but these, without an allowlist."),
	}
})

// authFields are the credential for an agent.
var authFields = table("auth", func() rows[agentFile] {
	return rows[agentFile]{
		label("scheme", func(a *agentFile) *string { return &a.Scheme }).
			doc("The word before the token; Bearer when left out."),
		custom("token", text, func(_ *decoder, a *agentFile, v *node.Node) { a.token = v }).doc("The token."),
		custom("token_env", text, func(_ *decoder, a *agentFile, v *node.Node) { a.variable = v }).
			doc("The variable that holds the token."),
	}
})

func readAgentAuth(d *decoder, a *agentFile, v *node.Node) {
	a.Scheme = "Bearer"
	if !authFields.read(d, v, a) {
		return
	}
	if strings.ContainsAny(a.Scheme, " \t\r\n") {
		d.Errorf(node.Get(v, "scheme"), "wrong-value", "scheme is one word, found %q", a.Scheme)
	}
	switch {
	case a.token != nil && a.variable != nil:
		d.Errorf(a.token, "wrong-value", "auth has both token and token_env").Hint = "keep one of the two"
	case a.token != nil:
		written, _ := d.Name(a.token, "token")
		a.Token = d.expand(a.token, written)
		d.header(a.token, "Authorization", a.Token)
	case a.variable != nil:
		if name, ok := d.Name(a.variable, "token_env"); ok {
			a.TokenFrom = EnvHeader{"Authorization", name, d.Pos(a.variable)}
		}
	default:
		d.Missing(v, "auth", "token or token_env")
	}
}

func readAgentURL(d *decoder, a *agentFile, v *node.Node) {
	a.url, a.URLPos = v, d.Pos(v)
	a.Written, _ = d.Name(v, "url")
	if a.Written == "" {
		return
	}
	a.URL = strings.TrimRight(d.expand(v, a.Written), "/")
	u, err := url.Parse(a.URL)
	switch {
	case a.URL == "": // the environment has it not, which was reported
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		d.Errorf(v, "wrong-value", "%q is not an address of HTTP", a.Written).Hint = "it begins with https:// or http://"
	case u.RawQuery != "" || u.Fragment != "":
		d.Errorf(v, "wrong-value", "%q ends in a query or a fragment, and the path of the card comes behind it", a.Written)
	}
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

// ruleFile is an answer of a simulated agent as it stands in a file.
type ruleFile struct {
	AgentRule
	at       *node.Node
	skill    *node.Node // nil: of any
	response *node.Node
	failed   *node.Node // error
}

// ofSkill reports whether the rule is about a skill.
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

// agents reads the list a2a_agents: the remote ones, and tools for the skills of the simulated ones.
func (d *decoder) agents(n *node.Node) (remote []*Agent, simulated []*Tool) {
	names := map[string]int{}
	d.Items(n, "a2a_agents", func(_ int, v *node.Node) {
		a := agentFile{Agent: &Agent{}}
		if !agentFields.read(d, v, &a) {
			return
		}
		d.unique(names, node.Get(v, "name"), a.Name, "agent")
		switch {
		case a.url != nil:
			for name, unused := range map[string]*node.Node{"card": a.card, "responses": a.responses} {
				if unused != nil {
					d.Warnf(unused, NoEffect, "%s has no effect: the agent %q is the one at its url", name, a.Name)
				}
			}
			if a.Timeout == 0 {
				a.Timeout = defaultAgentTimeout
			}
			remote = append(remote, a.Agent)
		case a.card != nil:
			for name, unused := range a.remote {
				d.Warnf(unused, NoEffect, "%s has no effect: the agent %q is simulated; a remote one has a url", name, a.Name)
			}
			simulated = append(simulated, d.simulated(&a)...)
		default:
			d.Missing(v, "an agent", "url (remote) or card (simulated)")
		}
	})
	return remote, simulated
}

// entries are the texts of a list, or the one text in its place.
func entries(list *node.Node) []*node.Node {
	switch {
	case list == nil:
		return nil
	case list.Kind == node.List:
		return list.Content
	}
	return []*node.Node{list}
}

// simulated makes the tools that stand for the skills of a simulated agent.
func (d *decoder) simulated(a *agentFile) (list []*Tool) {
	if a.cardName != "" && a2a.Plain(a.cardName) == "" {
		d.Errorf(node.Get(a.card, "name"), "wrong-name", "%q is not a name for an agent", a.cardName).Hint =
			"the names of its tools are made of the letters a to z and the digits in it"
	}
	ids := make([]string, len(a.skills))
	for i := range a.skills {
		ids[i] = a.skills[i].id
	}
	d.agentRules(a, ids)
	for _, key := range []string{"allowlist", "blocklist"} {
		for _, entry := range entries(node.Get(a.filter, key)) {
			if !strings.HasSuffix(entry.Value, "*") && !slices.Contains(ids, entry.Value) {
				d.Errorf(entry, "unknown-name", "skill_filter: there is no skill %q", entry.Value).Hint =
					hintNames(entry.Value, ids)
			}
		}
	}
	for i := range a.skills {
		s := &a.skills[i]
		switch {
		case s.id == "" || a2a.Plain(a.cardName) == "": // which was reported
			continue
		case a2a.Plain(s.id) == "":
			d.Errorf(s.at, "wrong-name", "%q is not an id for a skill", s.id).Hint =
				"the name of its tool is made of the letters a to z and the digits in it"
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

// answersAll reports whether a rule leaves nothing to a later one.
func (r *ruleFile) answersAll(later *ruleFile, skills []string) bool {
	same := r.Contains == "" && r.Regex == "" || r.Contains == later.Contains && r.Regex == later.Regex
	return same && !slices.ContainsFunc(skills, func(id string) bool { return later.ofSkill(id) && !r.ofSkill(id) })
}
