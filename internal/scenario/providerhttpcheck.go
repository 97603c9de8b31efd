package scenario

import (
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
)

// httpAgent reads the settings of type http.
func (d *decoder) httpAgent(n *node.Node, p *providerFile) {
	d.notForHTTP(n)
	p.BaseURL, p.Headers, p.Unset = "", nil, nil // of the keys for models, which were refused
	if p.config == nil {
		d.Missing(n, "a provider of type http", "additional_config.url")
		return
	}
	f := p.agent()
	if !httpAgentFields.read(d, p.config, p) {
		return
	}
	p.HTTP = f.HTTPAgent
	if f.body != nil && f.Method == http.MethodGet {
		d.Errorf(f.body, "wrong-value", "a request of method GET has no body").
			Hint = "write method: POST, or put what is sent into the url"
	}
	broken := f.body != nil && f.Body == nil // reported already
	if f.url != nil && !broken && !slices.Contains(f.sent, "message") && !slices.Contains(f.sent, "messages") {
		at := f.url
		if f.body != nil {
			at = f.body
		}
		d.Errorf(at, "missing-placeholder", "nothing sends what the user says: there is neither {{message}} nor "+
			"{{messages}} in url, headers and body").Hint = `write body: {message: "{{message}}"}`
	}
	d.agentSession(f)
	d.fixedSession(f)
	d.agentTools(f)
	if f.Sends(OTLPEndpoint) != f.Sends(OTLPHeaders) && f.body != nil {
		d.Errorf(f.body, "missing-placeholder", "an endpoint that sends traces needs both {{%s}} and {{%s}}", OTLPEndpoint,
			OTLPHeaders).Hint = "the headers say for which trial they are, and that it may send them"
	}
}

// agentTools checks the settings of an agent whose tools arena runs.
func (d *decoder) agentTools(f *httpFile) {
	switch {
	case f.tools == nil || !f.AsksTools:
		if f.Sends("results") && f.body != nil {
			d.Errorf(f.body, "unused-field", "{{results}} is always empty: the agent runs its tools itself").
				Hint = "write tools: arena, or take it out"
		}
	case f.ToolCalls == "":
		d.Errorf(f.tools, "missing-field", "tools: arena needs tool_calls, where the answer says which tools are to run")
	case !f.Sends("results") && !f.Sends("messages"):
		d.Errorf(f.tools, "missing-placeholder", "tools: arena: nothing tells the endpoint what its tools returned").
			Hint = `send {{results}} or {{messages}} in the body`
	}
}

// agentSession checks settings that depend on the source of the session id.
func (d *decoder) agentSession(f *httpFile) {
	if f.session == nil {
		return
	}
	name := node.Get(f.session, "name")
	switch f.SessionFrom {
	case "path":
		if name != nil && f.SessionName != "" {
			d.agentPath(name, "name")
		}
	case "header":
		if !httpguts.ValidHeaderFieldName(f.SessionName) && f.SessionName != "" {
			d.Errorf(name, "wrong-name", "%q is not the name of a header", f.SessionName)
		}
	}
	if !slices.Contains(f.sent, "session") {
		d.Errorf(f.session, "unused-field", "session is read and not sent: there is no {{session}} in url, headers and body").
			Hint = `write it where the endpoint looks for it: body: {session: "{{session}}"}, or take session out`
	}
	before, _, _ := strings.Cut(f.p.BaseURL, "?")
	if f.url != nil && strings.Contains(before, "session") && fillsIn(before, "session") {
		d.Errorf(f.url, "wrong-value", "url: the endpoint tells its session in its first answer, and {{session}} is a part "+
			"of the address of the first request").Hint = "take session out, and arena makes one up for each trial; or send " +
			"it elsewhere"
	}
}

// sessionKeys are names under which endpoints take the id of a conversation, without case and signs.
var sessionKeys = []string{
	"session", "sessionid", "conversation", "conversationid", "thread", "threadid", "chatid", "xsessionid",
	"xconversationid", "xthreadid",
}

// noteSession takes down a text that is the same in every request and stands where the id of a conversation is due.
func (h *httpFile) noteSession(key, text string, v *node.Node) {
	key = strings.ReplaceAll(jsonvalue.FoldKey(key), "-", "")
	if slices.Contains(sessionKeys, key) && !strings.Contains(text, "{{") && strings.TrimSpace(text) != "" &&
		h.fixed == nil {
		h.fixed = v
	}
}

// fixedSession warns of one session for all conversations: the agent would remember in one what was said in another.
func (d *decoder) fixedSession(f *httpFile) {
	if f.fixed != nil && !f.Remembers() && !f.Sends("trial") {
		d.Warnf(f.fixed, "fixed-session", "all trials are sent the same session: the agent may take them for one "+
			"conversation").
			Hint = "write {{session}} in its place, which is another one for each trial"
	}
}

func fillsIn(text, name string) (there bool) {
	FillHTTP(text, func(p HTTPPlace) string {
		there = there || p.Name == name
		return ""
	})
	return there
}

// httpKeys are keys of a provider that do not apply to HTTP agents, with hints.
var httpKeys = []struct{ key, hint string }{
	{"base_url", "write additional_config.url: the whole address"},
	{"headers", "write additional_config.headers, which may set any header"},
	{"credential", "write the header that holds the key: additional_config.headers: {X-Api-Key: ${KEY}}"},
	{"platform", "take it out: no cloud is known to host it"},
	{"defaults", "take it out, or write what the endpoint reads into additional_config.body"},
	{"unsupported_params", "take it out: no parameters are sent"},
}

// notForHTTP refuses keys that would have no effect.
func (d *decoder) notForHTTP(n *node.Node) {
	for _, k := range httpKeys {
		if at := node.Get(n, k.key); at != nil {
			d.Errorf(at, "unused-field", "%s is not used with type http", k.key).Hint = k.hint
		}
	}
}

// notOfHTTP says where a setting belongs that is unknown in additional_config of an http provider.
func notOfHTTP(key string) string {
	switch key {
	case "timeout", "timeout_ms", "timeout_seconds":
		return "request_timeout beside additional_config limits how long a reply may take, such as 60s"
	case "retries", "retry":
		return "stream_retry beside additional_config says how often a request is repeated that was refused"
	case "command", "cwd", "env", "protocol":
		return "a provider of type command reads it"
	case "base_url", "endpoint", "address", "uri":
		return "it is called url"
	case "input", "template", "request", "payload":
		return "what is sent is called body"
	case "output", "response", "path", "response_path":
		return "where the text of the reply stands is called reply"
	case "redact":
		return "the replies of an agent are what is tested; redact is for tools"
	}
	return ""
}
