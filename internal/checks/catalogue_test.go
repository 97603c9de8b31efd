package checks

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestCatalogue compares the table with the names that files for other tools use.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "catalogue", "names.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		text, _, _ := strings.Cut(line, "#")
		names := strings.Fields(text)
		for _, name := range names {
			name, session := strings.CutSuffix(name, "*")
			d, known := Lookup(name)
			switch canonical := strings.TrimSuffix(names[0], "*"); {
			case !known:
				t.Errorf("there is no check %s", name)
			case d.Name != canonical:
				t.Errorf("%s is %s, not %s", name, d.Name, canonical)
			case index()[name].session != session:
				t.Errorf("%s always means the conversation: %v, want %v", name, !session, session)
			}
		}
	}
}

// TestParameterAliases compiles checks under every spelling of their parameters.
func TestParameterAliases(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "catalogue", "aliases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Checks  []string
		Params  map[string]any
		Aliases map[string]string
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	compile := func(name string, params map[string]any) {
		compiled, problems := compileJSON(&Compiler{}, name, jsonvalue.Compact(params), ScopeTurn, nil)
		if compiled == nil || len(problems) > 0 {
			t.Errorf("%s with %s: %v", name, jsonvalue.Compact(params), problems)
		}
	}
	for _, entry := range list {
		for _, name := range entry.Checks {
			compile(name, entry.Params)
			for alias, param := range entry.Aliases {
				params := maps.Clone(entry.Params)
				params[alias] = params[param]
				delete(params, param)
				compile(name, params)
				if keys := index()[name].Def.layout().index; keys[alias] != keys[param] {
					t.Errorf("%s: %s is not another name of %s", name, alias, param)
				}
			}
		}
	}
}

// TestLongSpelling: the long spelling accepts everything that the short one does, with the aliases and defaults of a
// name.
func TestLongSpelling(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		params string
		want   result.Status
	}{
		{`{"eval_type": "banned_words", "eval_params": {"words": ["class"]}}`, result.Passed},
		{`{"eval_type": "content_excludes", "eval_params": {"words": "class"}}`, result.Failed},
		{`{"eval_type": "contains", "eval_params": {"patterns": "school"}, "max_score": 0}`, result.Passed},
		{`{"eval_type": "length", "eval_params": {"max_chars": 12, "min_score": 0.9}}`, result.Passed},
	} {
		v, problems := Try(t.Context(), scenario.Wrapper, tc.params, "a classic one", ScopeTurn)
		if v == nil || len(problems) > 0 || v.Status != tc.want {
			t.Errorf("%s: %+v %v", tc.params, v, problems)
		}
	}
}

// TestAliasesInConflict: the name of a parameter has precedence over its aliases, and the first alias over later ones,
// with a warning.
func TestAliasesInConflict(t *testing.T) {
	t.Parallel()
	for params, length := range map[string]int{
		`{"max_chars": 3, "max_characters": 4}`:           4,
		`{"max_chars": 3, "max": 5}`:                      5,
		`{"max_chars": 3, "max_characters": 4, "max": 6}`: 6,
	} {
		c, problems := compileJSON(&Compiler{}, "max_length", params, ScopeTurn, nil)
		if c == nil || !reflect.DeepEqual(c.Check, &maxLength{chars: length}) {
			t.Errorf("%s: %+v", params, c)
		}
		ignored := func(code string) bool { return code == "ignored-parameter" }
		var codes []string
		for _, p := range problems {
			codes = append(codes, p.Code)
		}
		if len(codes) == 0 || slices.ContainsFunc(codes, func(code string) bool { return !ignored(code) }) {
			t.Errorf("%s: %v", params, problems)
		}
	}
}
