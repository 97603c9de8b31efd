package memory

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

func store(seeds ...scenario.SeedMemory) *Store {
	return New(seeds)
}

func call(t testing.TB, s *Store, tool string, args map[string]any) string {
	t.Helper()
	return s.Call(t.Context(), chat.ToolCall{Name: Prefix + tool, Args: args}).Content
}

type m = map[string]any

func TestMemory(t *testing.T) {
	t.Parallel()
	s := store(scenario.SeedMemory{Content: "Likes dark modes"})
	steps := []struct {
		tool string
		args m
		want string // ids, or the answer
	}{
		{"remember", m{"content": " "}, "content is empty: there is nothing to remember"},
		{"remember", m{"content": "Name is Craig", "type": "fact", "category": "person"}, `{"id":"mem_2","status":"remembered"}`},
		{"remember", m{"content": "Works in the dark", "confidence": -1.0}, `{"id":"mem_3","status":"remembered"}`},
		{"recall", m{"query": "DARK mode?"}, "mem_1 mem_3"},
		{"recall", m{"query": "dark"}, "mem_3 mem_1"},
		{"recall", m{"query": "dark", "limit": 1.0}, "mem_3"},
		{"recall", m{"query": "dark", "limit": -1.0}, "mem_3 mem_1"},
		{"recall", m{"query": ""}, "mem_3 mem_2 mem_1"},
		{"recall", m{"query": "dark craig", "types": []any{"fact"}}, "mem_2"},
		{"recall", m{"query": "dark", "min_confidence": 0.9}, ""},
		{"recall", m{"query": "tea"}, ""},
		{"list", m{}, "mem_1 mem_2 mem_3"},
		{"list", m{"offset": 1.0, "limit": 1.0}, "mem_2"},
		{"forget", m{"memory_id": "mem_9"}, `there is no memory "mem_9"`},
		{"forget", m{"memory_id": "mem_2"}, `{"memory_id":"mem_2","status":"forgotten"}`},
		{"list", m{}, "mem_1 mem_3"},
		{"remember", m{"content": "New"}, `{"id":"mem_4","status":"remembered"}`},
	}
	for i, step := range steps {
		got := call(t, s, step.tool, step.args)
		if strings.HasPrefix(got, `{"memories":[`) {
			var ids []string
			for part := range strings.SplitSeq(got, `"id":"`) {
				if id, _, found := strings.Cut(part, `"`); found && strings.HasPrefix(id, "mem_") {
					ids = append(ids, id)
				}
			}
			if !strings.HasSuffix(got, fmt.Sprintf(`"count":%d}`, len(ids))) {
				t.Errorf("%d: %s", i, got)
			}
			got = strings.Join(ids, " ")
		}
		if got != step.want {
			t.Errorf("%d. %s %v: %s, want %s", i, step.tool, step.args, got, step.want)
		}
	}
	all := s.Memories()
	if all[0].Metadata["provenance"] != "operator_curated" || all[1].Metadata["provenance"] != "user_requested" ||
		all[1].Confidence != 0.8 || all[1].Type != "general" {
		t.Errorf("%+v", all)
	}
}

// TestConfidence: who says that it is not sure at all is believed; who says nothing is as sure as most.
func TestConfidence(t *testing.T) {
	t.Parallel()
	s := store(scenario.SeedMemory{Content: "a", Confidence: new(0.0)}, scenario.SeedMemory{Content: "b"},
		scenario.SeedMemory{Content: "c", Confidence: new(1.0)})
	for _, sure := range []any{0.0, 0, json.Number("0"), 0.5, nil, -1.0} {
		call(t, s, "remember", m{"content": "d", "confidence": sure})
	}
	var got []float64
	for _, memory := range s.Memories() {
		got = append(got, memory.Confidence)
	}
	if want := []float64{0, 0.8, 1, 0, 0, 0, 0.5, 0.8, 0.8}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestArguments: what cannot be read is an error for the model, and nothing is left out in silence.
func TestArguments(t *testing.T) {
	t.Parallel()
	needed := map[string]m{
		"remember": {"content": "a"}, "recall": {"query": "a"}, "list": {}, "forget": {"memory_id": "mem_1"},
	}
	optional := map[string]m{ // with values that are wrong
		"remember": {"type": 1, "confidence": "high", "category": []any{"a"}, "metadata": "x"},
		"recall":   {"types": "fact", "limit": 1.5, "min_confidence": "much"},
		"list":     {"types": m{}, "limit": "few", "offset": []any{}}, "forget": {},
	}
	for _, name := range names() {
		tool := strings.TrimPrefix(name, Prefix)
		try := func(args m) chat.ToolResult {
			s := store(scenario.SeedMemory{Content: "seed"})
			return s.Call(t.Context(), chat.ToolCall{Name: name, Args: args})
		}
		with := func(key string, value any) m {
			args := maps.Clone(needed[tool])
			args[key] = value
			return args
		}
		if res := try(needed[tool]); res.Error != "" {
			t.Errorf("%s: %s", tool, res.Error)
		}
		if res := try(with("contnet", "x")); !strings.Contains(res.Error, `there is no argument "contnet"`) {
			t.Errorf("%s with an unknown argument: %+v", tool, res)
		}
		for key := range needed[tool] {
			without := maps.Clone(needed[tool])
			delete(without, key)
			for what, args := range map[string]m{
				"none": without, "null": with(key, nil), "a list": with(key, []any{"a"}),
			} {
				if res := try(args); res.ErrorType != chat.ErrorValidation || !strings.Contains(res.Error, key) {
					t.Errorf("%s: %s as %s: %+v", tool, what, key, res)
				}
			}
		}
		for key, wrong := range optional[tool] {
			if res := try(with(key, wrong)); res.ErrorType != chat.ErrorValidation || !strings.Contains(res.Error, key) {
				t.Errorf("%s: %v as %s: %+v", tool, wrong, key, res)
			}
			if res := try(with(key, nil)); res.Error != "" {
				t.Errorf("%s: no %s: %s", tool, key, res.Error)
			}
		}
	}
	for want, args := range map[string]m{
		"cannot be set":            {"content": "a", "metadata": m{"provenance": "me"}},
		"another one in metadata":  {"content": "a", "category": "x", "metadata": m{"category": "y"}},
		`{"id":"mem_1","status":"`: {"content": "a", "category": "x", "metadata": m{"category": "x", "more": 1}},
	} {
		res := store().Call(t.Context(), chat.ToolCall{Name: Prefix + "remember", Args: args})
		if !strings.Contains(res.Error+res.Content, want) {
			t.Errorf("%v: %+v", args, res)
		}
	}
}

func BenchmarkRecall(b *testing.B) {
	s := store()
	for i := range 1000 {
		call(b, s, "remember", m{"content": fmt.Sprintf("The customer %d likes tea from shelf %d", i, i%7)})
	}
	b.ReportAllocs()
	for b.Loop() {
		call(b, s, "recall", m{"query": "customer 77 likes tea"})
	}
}

// The loader knows the tools of a memory by their names.
func TestToolsAreKnown(t *testing.T) {
	t.Parallel()
	if want := (&scenario.Project{Memory: true}).OwnTools(); !slices.Equal(names(), want) {
		t.Errorf("the tools of a memory are %q, and the loader knows %q", names(), want)
	}
}

func names() (all []string) {
	for _, tool := range offers() {
		all = append(all, tool.Name)
	}
	return all
}
