package scenario

import (
	"net/http"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonquery"
	"github.com/arena-evals/arena/internal/node"
)

// Bodied reports whether the requests of a tool with this method have a body.
func Bodied(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

// idleOfHTTP warns of settings of an endpoint without effect because of others.
func (d *decoder) idleOfHTTP(t *toolFile) {
	h, request := t.HTTP, node.Get(t.http, "request")
	for _, key := range []string{"body_mapping", "exclude", "static_body"} {
		if at := node.KeyOf(request, key); at != nil && !Bodied(h.Method) {
			d.Warnf(at, NoEffect, "%s has no effect: a request with method %s has no body", key, h.Method).Hint =
				"take it out, or choose a method with a body: POST, PUT or PATCH"
		}
	}
	if at := node.KeyOf(node.Get(t.http, "multimodal"), "accept_types"); at != nil && !h.Media {
		d.Warnf(at, NoEffect, "accept_types has no effect: replies are not taken as media").Hint =
			"write enabled: true beside it, or take it out"
	}
}

// unknownRedactions warns of fields to redact that are misspelled names of the output_schema. Other names are allowed:
// a reply may have more fields than the schema, and a mapped reply is another document.
func (d *decoder) unknownRedactions(t *toolFile) {
	h, at := t.HTTP, node.Get(t.http, "redact")
	if at == nil || t.outputs == nil || h.Mapping != "" {
		return
	}
	known := schemaNames(t.outputs)
	for i, name := range h.Redact {
		if slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
			continue
		}
		if near := diag.DidYouMean(name, known); near != "" {
			place := at
			if at.Kind == node.List && i < len(at.Content) {
				place = at.Content[i]
			}
			d.Warnf(place, "unknown-name", "redact: the output_schema has no field %q", name).Hint = near
		}
	}
}

// schemaNames are the names of the fields that a schema describes, at any depth.
func schemaNames(schema *node.Node) (names []string) {
	if schema.Kind != node.Map {
		for _, inner := range schema.Content {
			names = append(names, schemaNames(inner)...)
		}
		return names
	}
	for i := 0; i+1 < len(schema.Content); i += 2 {
		if below := schema.Content[i+1]; schema.Content[i].Value == "properties" && below.Kind == node.Map {
			for k := 0; k+1 < len(below.Content); k += 2 {
				names = append(names, below.Content[k].Value)
			}
		}
		names = append(names, schemaNames(schema.Content[i+1])...)
	}
	return names
}

// mappedElsewhere warns of arguments in a body_mapping that are not part of its input.
func (d *decoder) mappedElsewhere(at *node.Node, h *HTTPTool) {
	for _, name := range jsonquery.Reads(h.BodyMapping) {
		where := ""
		switch {
		case slices.Contains(h.QueryParams, name):
			where = "query_params takes it out of the body"
		case slices.Contains(h.Placed, name):
			where = "the url or a header has it already"
		case slices.Contains(h.Exclude, name):
			where = "exclude takes it out of the body"
		default:
			continue
		}
		d.Warnf(at, NoEffect, "body_mapping: the argument %q is not there: %s", name, where)
	}
}

// addressPlaces refuses arguments in an address in the notation of other tools, {id} or :id, because they would be sent
// unchanged.
func (d *decoder) addressPlaces(at *node.Node, address string, args []string) {
	tell := func(found, name string) {
		d.Foreignf(at, "foreign-template", "url: %s is sent as written", found).Hint = "write {{." + name + "}}"
	}
	walkSingles(address, func(name string, _ int) {
		if !slices.Contains(args, name) { // of the others see left
			tell("{"+name+"}", name)
		}
	})
	path, _, _ := strings.Cut(address, "?")
	for part := range strings.SplitSeq(path, "/") {
		if name, is := strings.CutPrefix(part, ":"); is && slices.Contains(args, name) {
			tell(part, name)
		}
	}
}
