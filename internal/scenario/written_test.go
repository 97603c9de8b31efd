package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

const (
	oneTurn  = `{"role": "user", "content": "a", "mock": "b", "assertions": [{"type": "contains", "params": {"patterns": ["b"]}}]}`
	goodFile = `{"id": "good", "turns": [` + oneTurn + `]}`
)

// What somebody wrote for arena is never left out without a word: whatever foreign key, or slip, stands in it.
func TestWrittenFilesAreNeverLeftOut(t *testing.T) {
	t.Parallel()
	documents := map[string]string{
		"messages beside turns":     `{"id": "bad", "messages": [{"role": "assistant", "content": "a"}], "turns": [` + oneTurn + `]}`,
		"messages with a mock":      `{"id": "bad", "messages": [` + oneTurn + `]}`,
		"messages without a reply":  `{"id": "bad", "messages": [{"role": "user", "content": "a"}]}`,
		"messages in a prompt":      `{"system_template": "Be kind.", "messages": [{"role": "assistant", "content": "a"}]}`,
		"messages in a pack":        `{"template_engine": {}, "messages": [{"role": "assistant", "content": "a"}]}`,
		"messages in an eval":       `{"recording": {"path": "x.json"}, "mock": 1, "messages": [{"role": "assistant"}]}`,
		"a recording's other signs": `{"scenario_id": "bad", "turns": [` + oneTurn + `]}`,
		"events of a session":       `{"id": "bad", "events": [], "metadata": {}, "turns": [` + oneTurn + `]}`,
		"named as a recording":      `{"kind": "recording", "turns": [` + oneTurn + `]}`,
		"named as a fragment":       `{"kind": "fragment", "turns": [` + oneTurn + `]}`,
		"a list":                    `[{"id": "bad", "turns": [` + oneTurn + `]}]`,
		"a key misspelt":            `{"id": "bad", "turn": [` + oneTurn + `]}`,
	}
	for _, key := range scenario.WrittenKeys() {
		documents["messages beside "+key] = `{"id": "bad", "messages": [{"role": "assistant", "content": "a"}], "` + key + `": []}`
	}
	broken := map[string]string{
		"a comma too many": `{"id": "bad", "turns": [` + oneTurn + `],}`,
		"a comment":        "{\"id\": \"bad\", // it is\n\"turns\": [" + oneTurn + `]}`,
		"cut":              `{"id": "bad", "turns": [` + oneTurn,
		"a broken pack":    `{"template_engine": {}, "evals": [],}`,
		"a broken eval":    `{"recording": {"path": "x"}, "assertions": [],}`,
		"a broken prompt":  `{"system_template": "x",}`,
		"anything":         `{"what": "x",}`,
		"nothing":          ``,
	}
	for name, text := range documents {
		for _, file := range []string{"bad.json", "bad.yaml"} {
			everywhere(t, name, file, text)
		}
	}
	for name, text := range broken {
		everywhere(t, name, "bad.json", text)
	}
	everywhere(t, "one document of several", "bad.yaml",
		`{"messages": [{"role": "assistant", "content": "a"}]}`+"\n---\n"+`{"id": "bad", "turn": [`+oneTurn+`]}`)
}

// everywhere loads a file that is named, that lies in a folder, and that lies beside what a config lists.
func everywhere(t *testing.T, name, file, text string) {
	t.Helper()
	config := "kind: Arena\nspec: {scenarios: [good.yaml], provider_specs: {m: {type: mock, model: m}}}\n"
	for place, opts := range map[string]scenario.Options{
		"named": {Paths: []string{"good.yaml", file}}, "folder": {Paths: []string{"."}}, "config": {},
	} {
		if place == "config" && (strings.Contains(text, "template") || strings.Contains(text, `"recording":`) ||
			!strings.Contains(text, `"turn`) && !strings.Contains(text, `"messages"`)) {
			continue // only scenarios are looked for beside a config
		}
		t.Run(name+"/"+file+"/"+place, func(t *testing.T) {
			t.Parallel()
			opts.Dir = t.TempDir()
			files := map[string]string{"good.yaml": goodFile, file: text}
			if place == "config" {
				files["config.arena.yaml"] = config
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(opts.Dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, diags := scenario.Load(opts)
			for _, d := range diags.Sorted() {
				if strings.Contains(d.Pos.File+d.Msg, "bad") {
					return
				}
			}
			t.Errorf("nothing is said of the file: %v", diags.Sorted())
		})
	}
}

func TestFilesOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.yaml": goodFile, "package.json": `{"name": "x", "scripts": {"turn": "x"},}`, "tsconfig.json": "{ // x\n}",
		"api.json": `{"openapi": "3.1.0", "paths": {}}`, "words.json": `{"messages": {"hello": "Hallo"}}`,
		"talk.json": `{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}`,
		"list.json": `[{"type": "a", "model": "b"}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, diags := scenario.Load(scenario.Options{Dir: dir, Paths: []string{"."}})
	for _, d := range diags.Sorted() {
		t.Errorf("%s: %s", d.Pos.File, d.Msg)
	}
}
