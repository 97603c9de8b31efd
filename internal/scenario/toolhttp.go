package scenario

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/template/parse"
	"time"

	template "github.com/DataDog/datadog-agent/pkg/template/text"

	"golang.org/x/net/http/httpguts"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonquery"
	"github.com/arena-evals/arena/internal/node"
)

// HTTPTool is an endpoint that answers the calls of a tool.
type HTTPTool struct {
	URL       string `digest:"-"` // template over the arguments, with environment variables filled in
	Written   string // as in the file
	URLPos    diag.Pos
	Method    string
	Timeout   time.Duration
	Headers   map[string]string `digest:"-"` // with environment variables filled in
	FileHeads map[string]string // as in the file
	FromEnv   []EnvHeader
	Unset     []Unset  `digest:"-"` // variables of the address and the headers that are not set
	Redact    []string // fields of the reply, at any depth
	RedactPos diag.Pos

	Placed       []string // arguments in the URL or a header
	Shaped       bool     // request was written: the query has only its parameters
	QueryParams  []string
	HeaderParams map[string]string // header → template
	BodyMapping  string            // JMESPath
	Exclude      []string
	StaticQuery  map[string]string
	StaticHeads  map[string]string
	StaticBody   map[string]any
	Mapping      string // of the reply: JMESPath
	Media        bool   // a reply of one of these types is media
	AcceptTypes  []string
}

// EnvHeader is a header whose value is in an environment variable.
type EnvHeader struct {
	Name, Variable string
	Pos            diag.Pos
}

var httpMethods = words("", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")

// httpFields are the settings of tools with mode live.
var httpFields = table("http", func() rows[HTTPTool] {
	return rows[HTTPTool]{
		custom("url", text, func(d *decoder, h *HTTPTool, v *node.Node) {
			h.Written, _ = d.Name(v, "url")
			h.URLPos = d.Pos(v)
			h.URL = d.expand(v, h.Written, &h.Unset)
			d.argumentTemplate(v, "url", h.URL)
			if u, err := url.Parse(doubleBraced().ReplaceAllString(h.URL, "x")); h.URL != "" &&
				!strings.HasPrefix(h.URL, "{{") && !strings.HasPrefix(h.URL, "$") &&
				(err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
				d.Errorf(v, "wrong-value", "%q is not an HTTP address", h.Written).Hint = "it must start with http:// or https://"
			}
		}).must().doc("The address; a Go template over the arguments, such as {{.id}}; may hold ${VARIABLES}."),
		word("method", httpMethods, func(h *HTTPTool) *string { return &h.Method }).preset("POST").
			doc("The method of the request."),
		custom("timeout_ms", natural, func(d *decoder, h *HTTPTool, v *node.Node) {
			h.Timeout = d.callLimit(v, "timeout_ms of the tool, else 30 seconds")
		}).preset("30000").doc("How long a call may take, in milliseconds. Left out: timeout_ms of the tool."),
		custom("headers", textMap, func(d *decoder, h *HTTPTool, v *node.Node) {
			h.FileHeads, _ = d.headerMap(v, "headers")
			h.Headers = make(map[string]string, len(h.FileHeads))
			for name, value := range h.FileHeads {
				h.Headers[name] = d.expand(node.Get(v, name), value, &h.Unset)
			}
		}).asIs().doc("Headers of the request; may hold ${VARIABLES}."),
		custom("headers_from_env", texts, func(d *decoder, h *HTTPTool, v *node.Node) { h.FromEnv = d.envHeaders(v) }).
			doc("Headers whose values stand in the environment: HEADER=VARIABLE."),
		custom("redact", texts, func(d *decoder, h *HTTPTool, v *node.Node) {
			h.Redact, _ = d.Strings(v, "redact")
			h.RedactPos = d.Pos(v)
		}).
			doc("Fields of the reply that are taken out, at any depth."),
		custom("request", requestFields, func(d *decoder, h *HTTPTool, v *node.Node) {
			h.Shaped = true
			requestFields.read(d, v, h)
		}).doc("How arguments go into the request; as JSON, or as a query, when left out."),
		object("response", part("response", queryField("body_mapping", func(h *HTTPTool) *string { return &h.Mapping }).
			doc("JMESPath that makes the result of the reply.")),
			func(h *HTTPTool) *HTTPTool { return h }).doc("What of the reply is the result."),
		object("multimodal", part("multimodal",
			flag("enabled", func(h *HTTPTool) *bool { return &h.Media }).doc("Whether a reply may be media."),
			strs("accept_types", func(h *HTTPTool) *[]string { return &h.AcceptTypes }).
				doc("The types that are taken as media."),
		), func(h *HTTPTool) *HTTPTool { return h }).doc("Replies that are media."),
	}
})

var requestFields = table("request", func() rows[HTTPTool] {
	return rows[HTTPTool]{
		strs("query_params", func(h *HTTPTool) *[]string { return &h.QueryParams }).
			doc("Arguments that go into the query."),
		custom("header_params", textMap, func(d *decoder, h *HTTPTool, v *node.Node) {
			h.HeaderParams, _ = d.headerMap(v, "header_params")
			for name, text := range h.HeaderParams {
				d.argumentTemplate(node.Get(v, name), "header_params."+name, text)
			}
		}).doc("Headers made of arguments; Go templates."),
		queryField("body_mapping", func(h *HTTPTool) *string { return &h.BodyMapping }).
			doc("JMESPath that makes the body of the arguments."),
		strs("exclude", func(h *HTTPTool) *[]string { return &h.Exclude }).doc("Arguments that do not go into the body."),
		strMap("static_query", func(h *HTTPTool) *map[string]string { return &h.StaticQuery }).
			asIs().doc("Further parameters of the query."),
		custom("static_headers", textMap, func(d *decoder, h *HTTPTool, v *node.Node) {
			h.StaticHeads, _ = d.headerMap(v, "static_headers")
		}).asIs().doc("Further headers."),
		custom("static_body", wireMap, func(d *decoder, h *HTTPTool, v *node.Node) {
			if v.Kind == node.Map {
				h.StaticBody, _ = d.Any(v).(map[string]any)
				return
			}
			d.Fields(v, "static_body", nil, nil) // reports it
		}).asIs().doc("Further fields of the body."),
	}
})

// queryField is a field with a JMESPath expression.
func queryField(name string, at func(*HTTPTool) *string) *field[HTTPTool] {
	return custom(name, text, func(d *decoder, h *HTTPTool, v *node.Node) {
		path, ok := d.Name(v, name)
		if !ok {
			return
		}
		*at(h) = path
		if _, err := jsonquery.Compile(path); err != nil {
			d.Errorf(v, "invalid-path", "%s is not a %s: %v", name, jsonquery.Language(path), err)
		}
	})
}

// callLimit reads the time limit of a call. 0: none.
func (d *decoder) callLimit(v *node.Node, otherwise string) time.Duration {
	ms, ok := d.Int(v, "timeout_ms", 0, int(counting.High))
	if ok && ms == 0 {
		d.Warnf(v, NoEffect, "timeout_ms has no effect: 0 stands for the usual limit, %s", otherwise).Hint =
			"there is no call without a limit: write how long one may take, or take it out"
	}
	return time.Duration(ms) * time.Millisecond
}

// headerMap reads headers.
func (d *decoder) headerMap(v *node.Node, what string) (map[string]string, bool) {
	m, ok := d.StringMap(v, what)
	for name, value := range m {
		d.header(node.Get(v, name), name, value)
	}
	return m, ok
}

func (d *decoder) header(at *node.Node, name, value string) {
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		d.Errorf(at, "wrong-name", "%q is not the name of a header", name)
	case !httpguts.ValidHeaderFieldValue(value):
		d.Errorf(at, "wrong-value", "the header %s holds a line break or another control character", name)
	case slices.Contains(framingHeaders, http.CanonicalHeaderKey(name)):
		d.Errorf(at, "wrong-name", "the header %s follows from the body and cannot be set", name)
	}
}

// framingHeaders say how long a body is.
var framingHeaders = []string{"Content-Length", "Transfer-Encoding", "Connection", "Trailer"}

// envHeaders reads headers with the variables that hold their values.
func (d *decoder) envHeaders(v *node.Node) (headers []EnvHeader) {
	list, _ := d.Strings(v, "headers_from_env")
	for i, entry := range list {
		at := v
		if v.Kind == node.List && i < len(v.Content) {
			at = v.Content[i]
		}
		name, variable, both := strings.Cut(entry, "=")
		if !both || name == "" || variable == "" || strings.ContainsAny(variable, "= \t$") {
			d.Errorf(at, "wrong-value", "headers_from_env: %q is not HEADER=VARIABLE", entry).Hint =
				"write the name of a header, =, and the name of the variable that holds its value"
			continue
		}
		d.header(at, name, "")
		headers = append(headers, EnvHeader{name, variable, d.Pos(at)})
	}
	return headers
}

// argumentTemplate checks a Go template over the arguments of a tool.
func (d *decoder) argumentTemplate(n *node.Node, what, src string) {
	if _, err := template.New("tool").Parse(src); err != nil {
		msg := err.Error()
		if m := templateLine().FindStringSubmatch(msg); m != nil {
			msg = msg[len(m[0]):]
		}
		d.Errorf(n, "invalid-template", "%s: %s", what, msg).Hint =
			"the language is that of Go templates, over the arguments: {{.order_id}}"
	}
}

// named are the arguments that a template names; none for a broken one.
func named(src string) (names []string) {
	t, err := template.New("tool").Parse(src)
	if err != nil || t.Tree == nil {
		return nil
	}
	eachArgument(t.Root, true, func(name string, _ parse.Pos) { names = append(names, name) })
	return names
}

// readHTTP reads the endpoint of a tool.
func readHTTP(d *decoder, t *toolFile, v *node.Node) {
	t.http = v
	h := &HTTPTool{}
	if httpFields.read(d, v, h) {
		t.HTTP = h
	}
}

// endpoint checks the endpoint of a tool of mode live.
func (d *decoder) endpoint(t *toolFile) {
	h := t.HTTP
	if h.Method == "" {
		h.Method = http.MethodPost
	}
	for _, span := range []time.Duration{t.Timeout, defaultToolTimeout} {
		if h.Timeout == 0 {
			h.Timeout = span
		}
	}
	args, listed := argumentsOf(t.InputSchema)
	check := func(at *node.Node, key string, names []string) {
		for i, name := range names {
			if !listed || slices.Contains(args, name) {
				continue
			}
			place := at
			if at != nil && at.Kind == node.List && i < len(at.Content) {
				place = at.Content[i]
			}
			d.Foreignf(place, "unknown-argument", "%s: the tool has no argument %q", key, name).Hint = hintNames(name, args)
		}
	}
	request := node.Get(t.http, "request")
	address := h.URL
	if address == "" { // a variable is not set here, but may be set where the tool is called
		address = Expand(h.Written, func(string) (string, bool) { return "http://unset", true }).Text
	}
	h.Placed = named(address)
	d.fieldsWithin(node.Get(t.http, "url"), "url", address, t.InputSchema)
	check(node.Get(t.http, "url"), "url", h.Placed)
	for _, name := range slices.Sorted(maps.Keys(h.HeaderParams)) {
		used := named(h.HeaderParams[name])
		d.fieldsWithin(node.Get(node.Get(request, "header_params"), name), "header_params", h.HeaderParams[name],
			t.InputSchema)
		check(node.Get(node.Get(request, "header_params"), name), "header_params", used)
		h.Placed = append(h.Placed, used...)
	}
	check(node.Get(request, "query_params"), "query_params", h.QueryParams)
	check(node.Get(request, "exclude"), "exclude", h.Exclude)
	if mapping := node.Get(request, "body_mapping"); mapping != nil {
		check(mapping, "body_mapping", jsonquery.Reads(h.BodyMapping))
		d.mappedElsewhere(mapping, h)
	}
	d.idleOfHTTP(t)
	d.leftOfHTTP(t, args)
	d.unknownRedactions(t)
	d.addressPlaces(node.Get(t.http, "url"), address, args)
}
