package scenario

import (
	"net/url"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Agent is a remote agent that is called over A2A. Its card lists its skills.
type Agent struct {
	Name      string
	URL       string `digest:"-"` // without a trailing slash; with environment variables filled in
	Written   string // as in the file
	URLPos    diag.Pos
	Timeout   time.Duration
	Scheme    string            // of the Authorization header; "": there is no token
	Token     string            `digest:"-"` // with environment variables filled in
	TokenFrom EnvHeader         // the variable that holds the token; "": Token holds it
	Headers   map[string]string `digest:"-"` // with environment variables filled in
	FileHeads map[string]string // as in the file
	FromEnv   []EnvHeader
	Unset     []Unset `digest:"-"` // variables of the address, the headers and the token that are not set
	Skills    NameFilter
}

// defaultAgentTimeout is the time limit of an agent when the file has none.
const defaultAgentTimeout = 60 * time.Second

// agentFile is an agent as written in a file: simulated or remote.
type agentFile struct {
	*Agent
	card, url, responses, filter *node.Node
	token, variable              *node.Node            // of auth
	remote                       map[string]*node.Node // keys of a remote agent
	cardName                     string
	skills                       []skillCard
	rules                        []ruleFile
}

// note notes a key of a remote agent.
func (a *agentFile) note(name string, v *node.Node) {
	if a.remote == nil {
		a.remote = map[string]*node.Node{}
	}
	a.remote[name] = v
}

// agentFields are the keys of an A2A agent, simulated or remote.
var agentFields = table("an agent", func() rows[agentFile] {
	return rows[agentFile]{
		label("name", func(a *agentFile) *string { return &a.Name }).must().doc("The name of the agent in this config."),
		custom("card", cardFields, func(d *decoder, a *agentFile, v *node.Node) {
			a.card = v
			cardFields.read(d, v, a)
		}).asIs().doc("What a simulated agent can do."),
		custom("responses", listOf(responseFields), func(d *decoder, a *agentFile, v *node.Node) {
			a.responses = v
			d.Items(v, "responses", func(_ int, item *node.Node) {
				r := ruleFile{at: item}
				if responseFields.read(d, item, &r) {
					a.rules = append(a.rules, r)
				}
			})
		}).asIs().doc("What a simulated agent answers; the first response that fits."),
		custom("url", text, readAgentURL).asIs().
			doc("The address of a remote agent, below which its card is; may hold ${VARIABLES}."),
		custom("auth", authFields, func(d *decoder, a *agentFile, v *node.Node) {
			a.note("auth", v)
			readAgentAuth(d, a, v)
		}).asIs().doc("What a remote agent is told to know who asks."),
		custom("headers", textMap, func(d *decoder, a *agentFile, v *node.Node) {
			a.note("headers", v)
			a.FileHeads, _ = d.headerMap(v, "headers")
			d.left(v, &leaving{what: "headers", filled: true})
			a.Headers = make(map[string]string, len(a.FileHeads))
			for name, value := range a.FileHeads {
				a.Headers[name] = d.expand(node.Get(v, name), value, &a.Unset)
			}
		}).asIs().doc("Headers of every request to a remote agent; may hold ${VARIABLES}."),
		custom("headers_from_env", texts, func(d *decoder, a *agentFile, v *node.Node) {
			a.note("headers_from_env", v)
			a.FromEnv = d.envHeaders(v)
		}).doc("Headers with the variable that holds their value: NAME=VARIABLE."),
		custom("timeout_ms", natural, func(d *decoder, a *agentFile, v *node.Node) {
			a.note("timeout_ms", v)
			a.Timeout = d.callLimit(v, "60 seconds")
		}).doc("How long a call may take, with its task, in milliseconds. Left out: 60000."),
		custom("skill_filter", nameFilterFields, func(d *decoder, a *agentFile, v *node.Node) {
			a.filter = v
			d.nameFilter(v, &a.Skills)
		}).doc("Which skills are offered."),
	}
})

// authFields are the credential for an agent.
var authFields = table("auth", func() rows[agentFile] {
	return rows[agentFile]{
		label("scheme", func(a *agentFile) *string { return &a.Scheme }).
			doc("The word before the token; Bearer when left out."),
		custom("token", text, func(_ *decoder, a *agentFile, v *node.Node) { a.token = v }).
			doc("The token, best as ${VARIABLE}."),
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
		d.Errorf(node.Get(v, "scheme"), "wrong-value", "scheme must be one word, found %q", a.Scheme)
	}
	switch {
	case a.token != nil && a.variable != nil:
		d.Errorf(a.token, "wrong-value", "auth has both token and token_env").Hint = "keep one of the two"
	case a.token != nil:
		written, _ := d.Name(a.token, "token")
		d.left(a.token, &leaving{what: "token", filled: true})
		a.Token = d.expand(a.token, written, &a.Unset)
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
	d.left(v, &leaving{what: "url", filled: true})
	a.URL = strings.TrimRight(d.expand(v, a.Written, &a.Unset), "/")
	u, err := url.Parse(a.URL)
	switch {
	case a.URL == "": // the variable is not set, which the planner reports
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		d.Errorf(v, "wrong-value", "%q is not an HTTP address", a.Written).Hint = "it must start with http:// or https://"
	case u.RawQuery != "" || u.Fragment != "":
		d.Errorf(v, "wrong-value", "%q ends in a query or a fragment: the path of the agent card is added to it", a.Written)
	}
}

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
					d.Warnf(unused, NoEffect, "%s has no effect: the agent %q is remote, because it has a url", name, a.Name)
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
