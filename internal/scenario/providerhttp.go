package scenario

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/arena-evals/arena/internal/jsonquery"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
)

// httpFile is an agent behind HTTP as written in a file.
type httpFile struct {
	*HTTPAgent
	p       *Provider
	url     *node.Node
	body    *node.Node
	session *node.Node
	tools   *node.Node
	fixed   *node.Node // a text without places under a name of sessions
}

// agent returns the HTTP agent of a provider. The tables below are of providers, so that their common code exists once.
func (p *providerFile) agent() *httpFile {
	if p.http == nil {
		if p.Provider == nil {
			p.Provider = &Provider{}
		}
		p.http = &httpFile{HTTPAgent: &HTTPAgent{Method: http.MethodPost, Error: HTTPError}, p: p.Provider}
	}
	return p.http
}

// httpAgentFields are the settings of type http.
var httpAgentFields = table("additional_config of an http provider", func() rows[providerFile] {
	return rows[providerFile]{
		custom("url", text, readHTTPURL).must("write where it is asked: url: http://localhost:8080/chat").
			doc("Where it is asked. May hold ${VARIABLES} and places such as {{session}}, which are escaped there."),
		word("method", words("POST", "GET", "PUT", "PATCH"), func(p *providerFile) *string { return &p.agent().Method }).
			preset("POST").doc("The method of the requests."),
		custom("headers", textMap, readHTTPHeaders).
			doc("Headers of the requests. May hold ${VARIABLES} and places such as {{session}}; one that is a place for " +
				"which there is nothing yet is left out."),
		custom("body", foreign, readHTTPBody).
			doc("The body of the requests, which is sent as JSON. Its texts may hold ${VARIABLES} and places: {{message}} " +
				"(what the user says), {{system}} (the prompt), {{messages}} (all that was said), {{history}} (the same without " +
				"prompt and message), {{session}}, {{turn}} (from 0), {{trial}}, {{scenario}}, {{row.FIELD}}; of a medium of the " +
				"message {{medium.data_url}}, {{medium.data}} (base64), {{medium.mime_type}}, {{medium.kind}} and " +
				"{{medium.name}}; {{tools}} and {{results}} with tools: arena; {{otlp.endpoint}} and {{otlp.headers}} for " +
				"traces. A text that is one place alone becomes its value, a list or a number; with {{json message}} it is put " +
				"in as " +
				"JSON. An item of a list with a place of a medium stands there for each medium. A field for which there is " +
				"nothing is left out."),
		agentPath("reply", func(h *httpFile) *string { return &h.Reply }).
			doc("Where in the answer the text of the reply stands: JSONPath or JMESPath. Left out: reply, output, text, " +
				"content or choices[0].message.content, the first that is there."),
		agentPath("tool_calls", func(h *httpFile) *string { return &h.ToolCalls }).
			doc("Where the list of tools stands that the agent called: each with name, args, id, and result or error. An " +
				"answer without the list tells nothing of tools, and checks of them are errors; an empty list says that none was " +
				"called."),
		custom("tools", words("own", "arena"), func(d *decoder, p *providerFile, v *node.Node) {
			word, _ := d.OneOf(v, "tools", "own", "arena")
			p.agent().AsksTools, p.http.tools = word == "arena", v
		}).preset("own").doc("Whether it runs the tools itself that it tells of in tool_calls, or arena runs its own and " +
			"asks again with the results: as {{results}}, or among {{messages}}."),
		agentPath("usage", func(h *httpFile) *string { return &h.Usage }).
			doc("Where stands what the reply took: input_tokens, output_tokens, cost_usd."),
		agentPath("finish_reason", func(h *httpFile) *string { return &h.Finish }).
			doc("Where stands why the reply ended, such as stop or length. Left out: where answers of OpenAI, Anthropic and " +
				"Gemini have it."),
		agentPath("error", func(h *httpFile) *string { return &h.Error }).preset(HTTPError).
			doc("Where an answer that is a failure says so. What is there and neither null, false, 0 nor empty is an error of " +
				"the trial."),
		custom("session", agentSessionFields, func(d *decoder, p *providerFile, v *node.Node) {
			p.agent().session = v
			agentSessionFields.read(d, v, p)
		}).doc("Where the endpoint tells its session, which {{session}} is from then on, for this trial. Left out: arena " +
			"makes one up for each trial."),
		custom("stream", agentStreamFields, func(d *decoder, p *providerFile, v *node.Node) {
			p.agent().Stream = &HTTPStream{Done: "[DONE]"}
			if !agentStreamFields.read(d, v, p) {
				p.http.Stream = nil
			}
		}).
			doc("Replies stream as server-sent events of JSON."),
	}
}).strays(notOfHTTP)

var agentSessionFields = table("session", func() rows[providerFile] {
	return rows[providerFile]{
		word("from", words("header", "path"), func(p *providerFile) *string { return &p.agent().SessionFrom }).must().
			doc("Whether it stands in a header of the answer, or in its body."),
		custom("name", text, func(d *decoder, p *providerFile, v *node.Node) {
			p.agent().SessionName, _ = d.Name(v, "name")
		}).
			must().asIs().doc("The name of the header, or the path in the body: JSONPath or JMESPath."),
	}
})

var agentStreamFields = table("stream", func() rows[providerFile] {
	return rows[providerFile]{
		custom("data", text, func(d *decoder, p *providerFile, v *node.Node) {
			if s := p.agent().Stream; s != nil {
				s.Data = d.agentPath(v, "data")
			}
		}).must().asIs().
			doc("Where in the data of an event a piece of the text stands: JSONPath or JMESPath. Events without it bring no " +
				"text."),
		custom("done", text, func(d *decoder, p *providerFile, v *node.Node) {
			if word, ok := d.Name(v, "done"); ok && p.agent().Stream != nil {
				p.http.Stream.Done = word
			}
		}).preset("[DONE]").asIs().
			doc("The data, or the name, of the event that ends the reply. A stream that ends before it was cut."),
	}
})

// agentPath is a field with a path into the response of an agent.
func agentPath(name string, at func(*httpFile) *string) *field[providerFile] {
	return custom(name, text, func(d *decoder, p *providerFile, v *node.Node) {
		*at(p.agent()) = d.agentPath(v, name)
	}).asIs()
}

func (d *decoder) agentPath(v *node.Node, name string) string {
	path, ok := d.Name(v, name)
	if !ok {
		return ""
	}
	if _, err := jsonquery.Compile(path); err != nil {
		d.Errorf(v, "invalid-path", "%s is not a %s: %v", name, jsonquery.Language(path), err)
		return ""
	}
	trimmed := strings.TrimSpace(path)
	if name != "reply" && name != "data" || trimmed == "@" || trimmed == "$" {
		return path
	}
	if why := jsonquery.Always(path); why != "" {
		d.Errorf(v, "wrong-value", "%s: %q would make a reply of any answer: %s", name, path, why).
			Hint = "write the path to the text"
	} else if key := lastKey(path); notSpoken[jsonvalue.FoldKey(key)] {
		d.Warnf(v, "odd-path", "%s: %q leads to the field %s, which is not what an agent says", name, path, key).
			Hint = "write the path to the text"
	}
	return path
}

// notSpoken are fields of answers that hold no words of an agent, as jsonvalue.FoldKey writes them.
var notSpoken = map[string]bool{
	"id": true, "role": true, "model": true, "object": true, "finishreason": true, "stopreason": true, "created": true,
	"createdat": true, "systemfingerprint": true, "sessionid": true, "requestid": true, "responseid": true,
	"threadid": true,
	"traceid":  true, "messageid": true, "conversationid": true, "modelversion": true,
}

// lastKey is the name with which a path ends; "": it ends with something else.
func lastKey(path string) string {
	key := path[strings.LastIndexByte(path, '.')+1:]
	if strings.ContainsAny(key, "[]()|'` ") {
		return ""
	}
	return strings.Trim(key, `"$@`)
}

// fromEnv puts the environment into a text of a request.
func (h *httpFile) fromEnv(d *decoder, v *node.Node, name, text string) string {
	out := Expand(text, d.getenv)
	for _, value := range out.Values {
		h.FromEnv = append(h.FromEnv, EnvPut{name, value})
	}
	if variable().MatchString(text) {
		h.Written = append(h.Written, text)
	}
	return d.expand(v, text, &h.p.Unset)
}

func readHTTPURL(d *decoder, p *providerFile, v *node.Node) {
	h := p.agent()
	written, ok := d.Name(v, "url")
	if !ok {
		return
	}
	h.url = v
	d.httpText(v, "url", written, h.HTTPAgent)
	h.p.BaseURL = h.fromEnv(d, v, "url", written)
	plain := FillHTTP(h.p.BaseURL, func(HTTPPlace) string { return "x" })
	u, err := url.Parse(plain)
	if h.p.BaseURL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		d.Errorf(v, "wrong-value", "%q is not an HTTP address", written).Hint = "it must start with http:// or https://"
	} else { // the address is not a secret, but a token in the path is
		h.FromEnv = slices.DeleteFunc(h.FromEnv, func(put EnvPut) bool {
			return put.Name == "url" && (strings.Contains(put.Value, "://") || strings.Contains(u.Host, put.Value))
		})
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(written, "http://"), "https://"), "/")
	if _, after, there := strings.Cut(host, "{{"); there && strings.Contains(after, "}}") {
		d.Errorf(v, "wrong-value", "url: a place cannot be the host: it would be another endpoint for each request")
	}
}

// ownOfAgent are headers that arena sets.
var ownOfAgent = map[string]string{
	"Content-Type": "the body is JSON", "Accept": "the answer is JSON, or a stream of events",
	"Host": "it follows from the url",
}

func readHTTPHeaders(d *decoder, p *providerFile, v *node.Node) {
	h := p.agent()
	h.p.Headers = map[string]string{}
	d.Each(v, "headers", func(name string, k, value *node.Node) {
		written, ok := d.String(value, "headers."+name)
		if !ok {
			return
		}
		d.httpText(value, "headers."+name, written, h.HTTPAgent)
		filled := h.fromEnv(d, value, name, written)
		h.noteSession(name, written, value)
		switch hint, own := ownOfAgent[http.CanonicalHeaderKey(name)]; {
		case own:
			d.Errorf(k, "reserved-field", "headers cannot set %s: arena does", name).Hint = hint
		case !httpguts.ValidHeaderFieldName(name):
			d.Errorf(k, "wrong-name", "%q is not the name of a header", name)
		default:
			d.header(value, name, filled)
		}
		h.p.Headers[name] = filled
	})
}

func readHTTPBody(d *decoder, p *providerFile, v *node.Node) {
	h := p.agent()
	h.body = v
	if v.Kind != node.Map && v.Kind != node.List {
		d.Errorf(v, "wrong-type", "body must be a map or a list, which is sent as JSON").
			Hint = `write a map: {message: "{{message}}"}`
		return
	}
	h.Body = d.Any(v)
	h.Filled = h.bodyPart(d, v, "body")
	h.single = HoldsMedium(h.Filled)
}

// bodyPart is a part of a body with environment variables filled in.
func (h *httpFile) bodyPart(d *decoder, v *node.Node, name string) any {
	switch {
	case v.Kind == node.Map:
		out := make(map[string]any, len(v.Content)/2)
		for i := 0; i+1 < len(v.Content); i += 2 {
			key := v.Content[i].Value
			out[key] = h.bodyPart(d, v.Content[i+1], key)
		}
		return out
	case v.Kind == node.List:
		out := make([]any, len(v.Content))
		for i, item := range v.Content {
			out[i] = h.bodyPart(d, item, name)
		}
		return out
	}
	text, is := d.Any(v).(string)
	if !is {
		return d.Any(v)
	}
	d.httpText(v, "body: "+name, text, h.HTTPAgent)
	h.noteSession(name, text, v)
	return h.fromEnv(d, v, name, text)
}
