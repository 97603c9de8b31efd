package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/sortby"
)

// Box is the tools of one trial: those that the files describe, those that sources listed, and the sources that only it
// has. Model and checks call the same box. Its calls are safe for concurrent use; it must not be copied once it is
// in use.
type Box struct {
	kit      *Kit
	scenario string

	mu     sync.Mutex
	own    map[*Opener]Source // of this trial alone
	listed map[string]*tool
}

// Listing are the sources that are to be asked for their tools, for a prompt with these allowed tools.
func (b *Box) Listing(allowed []string) (all []*Opener) {
	if b.kit == nil {
		return nil
	}
	for _, o := range b.kit.listing {
		if o.needed(allowed) {
			all = append(all, o)
		}
	}
	return all
}

// Sources are all that can be asked for their tools.
func (b *Box) Sources() []*Opener {
	if b.kit == nil {
		return nil
	}
	return b.kit.listing
}

// Own gives the box a source that only this trial has, in the place of one that the opener would make. It is called
// before anything is listed.
func (b *Box) Own(o *Opener, s Source) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.own == nil {
		b.own = map[*Opener]Source{}
	}
	b.own[o] = s
}

// List asks a source for its tools, sorted by name, and starts it where it must.
func (b *Box) List(ctx context.Context, o *Opener) ([]chat.Tool, error) {
	list, err := b.source(o).List(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	list = slices.Clone(list)
	sortby.Func(list, func(a, b chat.Tool) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Remarks are the remarks of a source on its last list.
func (b *Box) Remarks(o *Opener) Remarks {
	if r, ok := b.source(o).(Remarker); ok {
		return r.Remarks()
	}
	return Remarks{Fixed: true, ReadOnly: true}
}

// Take replaces the tools of a source in the box by a new list. A tool whose schema cannot be compiled is offered with
// that schema, and its arguments are not validated: unchecked names such tools, with the reason.
func (b *Box) Take(o *Opener, list []chat.Tool) (unchecked []*UncheckedError, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, t := range b.listed {
		if t.opener == o {
			delete(b.listed, name)
		}
	}
	if b.listed == nil {
		b.listed = make(map[string]*tool, len(list))
	}
	for _, offer := range list {
		if b.kit.byName[offer.Name] != nil || b.listed[offer.Name] != nil {
			return unchecked, fmt.Errorf("%s: there are two tools %q", o.Name, offer.Name)
		}
		t := &tool{offer: offer, opener: o, input: b.kit.schemaOf(offer.Schema)}
		if t.input != nil && t.input.broken != nil {
			unchecked = append(unchecked, &UncheckedError{offer.Name, t.input.broken})
		}
		b.listed[offer.Name] = t
	}
	return unchecked, nil
}

// Offered are the listed tools that a prompt allows, sorted by name. Of a source that is always offered these are all,
// unless the prompt names some of them.
func (b *Box) Offered(allowed []string) []chat.Tool {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []chat.Tool
	fits := func(name string) bool {
		return slices.ContainsFunc(allowed, func(a string) bool { return matches(a, name) })
	}
	chosen := map[*Opener]bool{}
	for name, t := range b.listed {
		chosen[t.opener] = chosen[t.opener] || fits(name)
	}
	for name, t := range b.listed {
		if t.opener.Always && !chosen[t.opener] || fits(name) {
			out = append(out, t.offer)
		}
	}
	sortby.Func(out, func(a, b chat.Tool) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Has reports whether there is a tool of this name that can be called.
func (b *Box) Has(name string) bool { return b.tool(name) != nil }

// Agent is the agent that a tool asks, by its name in the config; "" when it asks none.
func (b *Box) Agent(name string) string {
	if t := b.tool(name); t == nil {
		return ""
	} else if t.opener != nil {
		return t.opener.Agent
	}
	return b.kit.Agent(name)
}

// Origin is the name of the source that listed a tool; "": none did.
func (b *Box) Origin(name string) string {
	if t := b.tool(name); t != nil && t.opener != nil {
		return t.opener.Name
	}
	return ""
}

// Fits validates arguments, without repairs, against the input_schema of a tool. Where that cannot be compiled, it is
// an UncheckedError.
func (b *Box) Fits(name string, args map[string]any) error {
	t := b.tool(name)
	if t == nil {
		return errors.New(chat.UnknownTool(name))
	}
	if t.input != nil && t.input.broken != nil {
		return &UncheckedError{name, t.input.broken}
	}
	return t.input.validate(args)
}

// Takes validates arguments against the input_schema of a tool, after the repairs that calls make.
func (b *Box) Takes(name string, args map[string]any) error {
	t := b.tool(name)
	if t == nil {
		return errors.New(chat.UnknownTool(name))
	}
	return t.input.validate(t.input.coerce(args))
}

// Schema is that of the arguments of a tool; nil: it has none, or there is no such tool.
func (b *Box) Schema(name string) []byte {
	if t := b.tool(name); t != nil {
		return t.offer.Schema
	}
	return nil
}

// Call runs one call. Unknown tools, invalid arguments and failing tools give an error result.
func (b *Box) Call(ctx context.Context, call chat.ToolCall) chat.ToolResult {
	t := b.tool(call.Name)
	if t == nil {
		text := chat.UnknownTool(call.Name)
		if near := diag.Nearest(call.Name, b.names()); near != "" {
			text += " (did you mean " + near + "?)"
		}
		return Failure(call, chat.ErrorExecution, text)
	}
	var from Source
	if t.opener != nil {
		from = b.source(t.opener)
	}
	return t.call(ctx, from, call)
}

// Close ends the sources of this trial, after its last check.
func (b *Box) Close() error {
	b.mu.Lock()
	all := make([]opened, 0, len(b.own))
	for o, s := range b.own {
		all = append(all, opened{o, s})
	}
	b.own = nil
	b.mu.Unlock()
	return closeAll(all)
}

func (b *Box) tool(name string) *tool {
	if b.kit == nil {
		return nil
	}
	if t := b.kit.byName[name]; t != nil || len(b.kit.listing) == 0 {
		return t
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.listed[name]
}

func (b *Box) names() []string {
	if b.kit == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	names := slices.Clone(b.kit.names)
	for name := range b.listed {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// source is the one of this trial, or the one that it shares.
func (b *Box) source(o *Opener) Source {
	if o.Scope != PerSession {
		return b.kit.source(o, b.scenario)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.own[o]
	if s == nil {
		if b.own == nil {
			b.own = map[*Opener]Source{}
		}
		s = o.Open()
		b.own[o] = s
	}
	return s
}
