// Package memory is the memory of an agent within one trial: four tools over a list of texts.
package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/sortby"
	"github.com/arena-evals/arena/internal/tools"
)

// Prefix is what the names of the tools begin with.
const Prefix = "memory__"

// How much is shown where the model does not say, and what counts where it does not say how sure it is.
const (
	recallLimit = 10
	listLimit   = 50
	confidence  = 0.8
)

// Store holds the memories of one trial. It is safe for concurrent use. Memories get their ids in the order of calls.
type Store struct {
	mu   sync.Mutex
	list []entry // oldest first
	next int
}

type entry struct {
	result.Memory
	words map[string]bool
}

// epoch is the time of the first memory of every trial, and step the time between two memories. Results must be the
// same in every run: with the time of day each request would differ, and no recording or cache could answer it.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

const step = time.Second

// New makes a store that holds seeds.
func New(seeds []scenario.SeedMemory) *Store {
	s := &Store{}
	for _, seed := range seeds {
		s.add(seed.Content, seed.Type, seed.Confidence, seed.Metadata, "operator_curated")
	}
	return s
}

// Memories are those of now, oldest first.
func (s *Store) Memories() []result.Memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]result.Memory, len(s.list))
	for i := range s.list {
		list[i] = s.list[i].Memory
	}
	return list
}

// Tools are the tools that every store lists. The slice is not to be changed.
func Tools() []chat.Tool { return offers() }

// List implements tools.Source.
func (s *Store) List(context.Context) ([]chat.Tool, error) { return offers(), nil }

// Close implements tools.Source. What was remembered can still be read.
func (s *Store) Close() error { return nil }

// Call implements tools.Source.
func (s *Store) Call(_ context.Context, call chat.ToolCall) chat.ToolResult {
	args, err := call.Args, error(nil)
	if takes := Signature(call.Name); takes != nil {
		if args, err = takes.Take(call.Args); err != nil {
			return tools.Failure(call, chat.ErrorValidation, fmt.Sprintf("invalid arguments for %s: %v", call.Name, err))
		}
	}
	s.mu.Lock()
	answer, err := s.answer(call.Name, args)
	s.mu.Unlock()
	if err != nil {
		return tools.Failure(call, chat.ErrorExecution, err.Error())
	}
	text, err := jsonvalue.Plain(answer)
	if err != nil { // metadata of a call is JSON
		return tools.Failure(call, chat.ErrorExecution, err.Error())
	}
	return chat.ToolResult{Content: string(text)}
}

// found answers recall and list.
type found struct {
	Memories []result.Memory `json:"memories"`
	Count    int             `json:"count"`
}

func (s *Store) answer(tool string, args map[string]any) (any, error) {
	switch tool {
	case Prefix + "remember":
		return s.remember(args)
	case Prefix + "recall":
		return s.recall(args), nil
	case Prefix + "list":
		return s.show(args), nil
	case Prefix + "forget":
		return s.forget(args)
	}
	return nil, errors.New(chat.UnknownTool(tool))
}

func (s *Store) remember(args map[string]any) (any, error) {
	content := textOf(args, "content")
	if strings.TrimSpace(content) == "" {
		return nil, errors.New("content is empty: there is nothing to remember")
	}
	meta, _ := args["metadata"].(map[string]any)
	if _, given := meta["provenance"]; given {
		return nil, errors.New("metadata: provenance says who remembered it, and cannot be set")
	}
	if category := textOf(args, "category"); category != "" {
		if other, given := meta["category"]; given && other != category {
			return nil, fmt.Errorf("category is %q, and another one in metadata: leave one of them out", category)
		}
		meta = maps.Clone(meta)
		if meta == nil {
			meta = map[string]any{}
		}
		meta["category"] = category
	}
	id := s.add(content, textOf(args, "type"), sureness(args), meta, "user_requested")
	return map[string]string{"status": "remembered", "id": id}, nil
}

func (s *Store) add(content, kind string, sure *float64, meta map[string]any, by string) (id string) {
	s.next++
	if kind == "" {
		kind = "general"
	}
	all := map[string]any{}
	maps.Copy(all, meta)
	all["provenance"] = by
	m := result.Memory{
		ID: fmt.Sprintf("mem_%d", s.next), Type: kind, Content: content, Confidence: confidence, Metadata: all,
		Created: epoch.Add(time.Duration(s.next-1) * step),
	}
	if sure != nil {
		m.Confidence = *sure
	}
	s.list = append(s.list, entry{m, words(content)})
	return m.ID
}

// recall finds memories by the words that they share with a query, best first, newer ones first among equals.
func (s *Store) recall(args map[string]any) found {
	query := words(textOf(args, "query"))
	least := numberOf(args, "min_confidence")
	type hit struct {
		at    int
		score float64
	}
	var hits []hit
	for at := range s.list {
		e := &s.list[at]
		if !hasType(args, e) || e.Confidence < least {
			continue
		}
		shared := 0
		for w := range query {
			if e.words[w] {
				shared++
			}
		}
		if shared > 0 || len(query) == 0 {
			hits = append(hits, hit{at, float64(shared) / float64(max(len(query), 1))})
		}
	}
	sortby.Func(hits, func(a, b hit) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return b.at - a.at
	})
	limit := limitOf(args, recallLimit)
	f := found{Memories: []result.Memory{}}
	for _, h := range hits[:min(limit, len(hits))] {
		f.Memories = append(f.Memories, s.list[h.at].Memory)
	}
	f.Count = len(f.Memories)
	return f
}

func (s *Store) show(args map[string]any) found {
	f := found{Memories: []result.Memory{}}
	skip, limit := int(numberOf(args, "offset")), limitOf(args, listLimit)
	for at := range s.list {
		switch e := &s.list[at]; {
		case !hasType(args, e):
		case skip > 0:
			skip--
		case len(f.Memories) < limit:
			f.Memories = append(f.Memories, e.Memory)
		}
	}
	f.Count = len(f.Memories)
	return f
}

func (s *Store) forget(args map[string]any) (any, error) {
	id := textOf(args, "memory_id")
	at := slices.IndexFunc(s.list, func(e entry) bool { return e.ID == id })
	if at < 0 {
		return nil, fmt.Errorf("there is no memory %q", id)
	}
	s.list = slices.Delete(s.list, at, at+1)
	return map[string]string{"status": "forgotten", "memory_id": id}, nil
}

// hasType reports whether a memory is of one of the types that are asked for; none asks for all.
func hasType(args map[string]any, e *entry) bool {
	types, _ := args["types"].([]any)
	return len(types) == 0 || slices.ContainsFunc(types, func(t any) bool { return t == e.Type })
}

func textOf(args map[string]any, name string) string {
	text, _ := args[name].(string)
	return text
}

// sureness is how sure the model says to be; nil: it does not.
func sureness(args map[string]any) *float64 {
	if sure, ok := number(args["confidence"]); ok && sure >= 0 {
		return &sure
	}
	return nil
}

// numberOf is a number among the arguments; 0: none.
func numberOf(args map[string]any, name string) float64 {
	n, _ := number(args[name])
	return n
}

func number(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

func limitOf(args map[string]any, usual int) int {
	if n := numberOf(args, "limit"); n >= 1 {
		return int(min(n, 1<<30))
	}
	return usual
}
