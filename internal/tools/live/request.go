package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/scenario"
)

// request is the request of a call. It may be sent twice.
type request struct {
	url    string
	header http.Header
	body   []byte // nil: none
}

// request converts the arguments of a call to a request.
func (e *endpoint) request(ctx context.Context, args map[string]any) (*request, error) {
	address, err := e.url.Text(ctx, args)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("url: the arguments make no address of it")
	}
	if u.RawQuery, err = e.query(u.Query(), args); err != nil {
		return nil, err
	}
	r := &request{url: u.String()}
	if r.body, err = e.payload(args); err != nil {
		return nil, err
	}
	r.header, err = e.header(ctx, args, r.body != nil)
	return r, err
}

// query puts arguments into a query, in the place of parameters of their names.
func (e *endpoint) query(q url.Values, args map[string]any) (string, error) {
	names := e.QueryParams
	if !e.Shaped && !scenario.Bodied(e.Method) {
		names = slices.Collect(maps.Keys(args))
	}
	for _, name := range names {
		v, there := args[name]
		if !there {
			continue
		}
		text, err := plainText(v)
		if err != nil {
			return "", err
		}
		q.Set(name, text)
	}
	for name, text := range e.StaticQuery {
		q.Set(name, text)
	}
	return q.Encode(), nil
}

// payload is the body of a request; nil is none.
func (e *endpoint) payload(args map[string]any) ([]byte, error) {
	if !scenario.Bodied(e.Method) {
		return nil, nil
	}
	rest := maps.Clone(args)
	if e.Shaped {
		for _, name := range slices.Concat(e.QueryParams, e.Placed, e.Exclude) {
			delete(rest, name)
		}
	}
	var body any = rest
	if e.body != nil {
		got, err := e.body.Run(any(rest))
		if err != nil {
			return nil, fmt.Errorf("request.body_mapping: %w", err)
		}
		body = got.Value
	}
	if len(e.StaticBody) > 0 {
		fields, ok := body.(map[string]any)
		if !ok && body != nil {
			return nil, errors.New("request.body_mapping makes no object to which static_body could be added")
		}
		merged := maps.Clone(fields)
		if merged == nil {
			merged = map[string]any{}
		}
		maps.Copy(merged, e.StaticBody)
		body = merged
	}
	if fields, ok := body.(map[string]any); ok && len(fields) == 0 && e.body == nil {
		return nil, nil
	}
	return jsonvalue.Plain(body)
}

// header puts the headers together: templates, then static ones, then those of the file, then those of the environment.
func (e *endpoint) header(ctx context.Context, args map[string]any, hasBody bool) (http.Header, error) {
	h := http.Header{}
	if hasBody {
		h.Set("Content-Type", "application/json")
	}
	if e.Media && len(e.AcceptTypes) > 0 {
		h["Accept"] = slices.Clone(e.AcceptTypes)
	}
	for name, t := range e.heads {
		text, err := t.Text(ctx, args)
		if err != nil {
			return nil, fmt.Errorf("header %s: %w", name, err)
		}
		h.Set(name, text)
	}
	for _, list := range []map[string]string{e.StaticHeads, e.Headers} {
		for name, value := range list {
			h.Set(name, value)
		}
	}
	for _, from := range e.FromEnv {
		value, set := "", false
		if e.getenv != nil {
			value, set = e.getenv(from.Variable)
		}
		if !set {
			return nil, fmt.Errorf("header %s: the environment has no %s", from.Name, from.Variable)
		}
		h.Set(from.Name, value)
	}
	return h, nil
}
