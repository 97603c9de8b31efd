package checks

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/endpoint"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

var restEvalDef = define[restEvalParams](Def{
	Name:         "rest_eval",
	SessionNames: []string{"rest_eval_session"},
	Summary:      "An HTTP endpoint scores the reply.",
	Scoring: "The score of the reply, which is one JSON object and nothing else; a number from 0 to 1, not a text. Its " +
		"passed decides nothing, but a warning tells where it is false and the score passes, as it does of success: false " +
		"and the like; a reply without a score, with one out of range or on another scale (max_score: 10), that says that " +
		"it failed (status: error, skipped: true), in part (206), or with another status than 2xx is an error. " +
		"The endpoint gets the JSON object {current_output, messages: [{role, content}], " +
		"tool_calls: [{name, args, result, error, index}], criteria, " +
		"variables, extra} together with the fields of extra that have none of these names; what is empty is left out. " +
		"args that are no JSON object are null, with bad_args beside them: what the model wrote. " +
		"current_output is the reply, at the end of a conversation all replies. Redirects are followed on the same host, " +
		"a request is repeated only when it was never sent, or when it is a GET.",
	Family:   FamilyExternal,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsCalls | NeedsNetwork,
})

type restEvalParams struct {
	URL     address           `param:"url,required" doc:"Where to send the conversation; ${NAME} stands for the environment."`
	Method  httpMethod        `param:"method" default:"POST" doc:"POST, PUT, PATCH, GET or DELETE."`
	Headers map[string]string `param:"headers" is:"sent text" doc:"Further headers; ${NAME} stands for the environment."`
	Timeout time.Duration     `param:"timeout" default:"30s" doc:"How long the whole exchange may take."`
	dossierParams
}

func (p restEvalParams) Build(b *binder) Check {
	ok := true
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		value := p.Headers[name]
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			b.errorf("headers", "wrong-name", "%q is not the name of a header", name)
			ok = false
		case !httpguts.ValidHeaderFieldValue(value):
			b.errorf("headers", "wrong-value", "the header %s holds a line break or another control character", name)
			ok = false
		case slices.Contains(framing, http.CanonicalHeaderKey(name)):
			b.errorf("headers", "wrong-name", "the header %s follows from the body and cannot be set", name)
			ok = false
		}
	}
	if !ok {
		return nil
	}
	method := string(p.Method)
	if method == "" {
		method = http.MethodPost
	}
	return &restEval{
		url: p.URL, method: method, headers: p.Headers, timeout: p.Timeout, dossier: p.dossier(),
		urlPos: b.pos("url"), headersPos: b.pos("headers"),
	}
}

// framing are the headers that describe the length of a body.
var framing = []string{"Content-Length", "Transfer-Encoding", "Connection", "Trailer"}

// restEval asks an HTTP endpoint for a score.
type restEval struct {
	url     address
	method  string
	headers map[string]string
	timeout time.Duration
	dossier *dossier

	urlPos, headersPos diag.Pos
}

func (c *restEval) Eval(ctx context.Context, s *Subject) (Finding, error) {
	if s.Host == nil || s.Host.HTTP == nil {
		return Finding{}, errNoHost
	}
	body, err := encodeRequest(c.dossier.of(s))
	if err != nil {
		return Finding{}, fmt.Errorf("the conversation cannot be written as JSON: %w", err)
	}
	target, unset := c.url.resolve(s.Host.Getenv)
	header, secrets := c.header(s.Host.Getenv)
	e := newScorer(s.Host, c.url, append(secrets, target.Values...))
	sent := Sent{Kind: OverHTTP, To: e.Written, Method: c.method, Body: body, scrub: e.Scrub}
	got, err := s.ask(ctx, sent, c.timeout, unset, func(ctx context.Context) (Received, error) {
		return e.call(ctx, &endpoint.Call{
			Method: c.method, URL: target.Text, Header: header, Body: body, Repeatable: c.method == http.MethodGet,
		})
	})
	switch {
	case err != nil:
		return Finding{}, err
	case got.Status < 200 || got.Status > 299 || got.Status == http.StatusPartialContent: // no part was requested
		return Finding{}, e.Refused(&endpoint.Response{Status: got.Status, Body: []byte(got.Text)})
	}
	f, err := e.scored(got.Text)
	if err == nil {
		f.Details["url"], f.Details["status"] = e.Written, got.Status
	}
	return f, err
}

// header returns the headers of a request, and the secrets in them.
func (c *restEval) header(getenv func(string) (string, bool)) (h http.Header, secrets []string) {
	h = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	for name, value := range c.headers {
		filled := scenario.Expand(value, getenv)
		h.Set(name, filled.Text)
		secrets = append(secrets, filled.Values...)
		if confidential(name) {
			secrets = append(secrets, filled.Text)
		}
	}
	return h, secrets
}

// confidential reports whether a header holds credentials, even when its value is in the file.
func confidential(header string) bool {
	header = strings.ToLower(header)
	return slices.ContainsFunc([]string{"auth", "key", "token", "secret", "cookie", "password"}, func(word string) bool {
		return strings.Contains(header, word)
	})
}

func (c *restEval) preflight(getenv func(string) (string, bool), d *diag.List) {
	c.url.preflight("rest_eval: url", c.urlPos, getenv, d)
	for _, name := range slices.Sorted(maps.Keys(c.headers)) {
		for _, unset := range scenario.Expand(c.headers[name], getenv).Unset {
			d.Warnf(c.headersPos, 1, "unset-variable", "rest_eval: the environment has no %s; the header %s is sent without it",
				unset, name)
		}
	}
}

// httpMethod is a parameter with the method of a request.
type httpMethod string

var httpMethods = []string{
	http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodGet, http.MethodDelete,
}

func (*httpMethod) shape() keys.Shape {
	return keys.Own{Words: "HTTP method", Doc: jsonschema.Doc{
		Type: jsonschema.Types{"string"}, Pattern: "^(?i:" + strings.Join(httpMethods, "|") + ")$",
	}}
}

func (p *httpMethod) take(b *binder, n *node.Node, what string) bool {
	text, ok := b.r.Name(n, what)
	*p = httpMethod(strings.ToUpper(text))
	if ok && !slices.Contains(httpMethods, string(*p)) {
		b.r.Errorf(n, "unknown-value", "%s cannot be %q; expected one of %s", what, text, strings.Join(httpMethods, ", ")).
			Hint = diag.DidYouMean(string(*p), httpMethods)
		return false
	}
	return ok
}

func (c *restEval) sends(getenv func(string) (string, bool)) (headers map[string]string, to string) {
	headers = make(map[string]string, len(c.headers))
	for name, value := range c.headers {
		headers[name] = scenario.Expand(value, getenv).Text
	}
	return headers, scenario.Expand(string(c.url), getenv).Text
}

func (c *restEval) filled() []string {
	return append(slices.Collect(maps.Values(c.headers)), string(c.url))
}
