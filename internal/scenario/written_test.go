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

// TestWrittenFilesAreNeverLeftOut: a file that was written for arena is never ignored silently, whatever mistake it
// has.
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

// everywhere loads a file that is named, that is in a folder, and that is beside files that a config lists.
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
			files := map[string]string{"good.yaml": goodFile, file: text}
			if place == "config" {
				files["config.arena.yaml"] = config
			}
			opts.Dir = writeFiles(t, files)
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
	dir := writeFiles(t, map[string]string{
		"good.yaml": goodFile, "package.json": `{"name": "x", "scripts": {"turn": "x"},}`, "tsconfig.json": "{ // x\n}",
		"api.json": `{"openapi": "3.1.0", "paths": {}}`, "words.json": `{"messages": {"hello": "Hallo"}}`,
		"list.json": `[{"type": "a", "model": "b"}]`, "tours.json": `{"tours": [{"id": 1}], "turn": ["left"]}`,
	})
	suite, diags := scenario.Load(scenario.Options{Dir: dir, Paths: []string{"."}})
	for _, d := range diags.Sorted() {
		t.Errorf("%s: %s", d.Pos.File, d.Msg)
	}
	if suite.Notes != nil {
		t.Errorf("got the notes %q", suite.Notes)
	}
}

// TestRecordingsAmongWhatIsRun: a recording among files to run is reported as one.
func TestRecordingsAmongWhatIsRun(t *testing.T) {
	t.Parallel()
	const talk = `{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}`
	const eval = "kind: Eval\nmetadata: {name: e}\nspec: {recording: {path: talk.json}, " +
		"conversation_assertions: [{type: contains, params: {patterns: [b]}}]}\n"
	const replay = "kind: Provider\nmetadata: {name: r}\nspec: {type: replay, additional_config: {recording: talk.json}}\n"
	for name, c := range map[string]struct {
		files map[string]string
		paths []string
		note  string
		warns string // "": no warning
	}{
		"named":     {map[string]string{"talk.json": talk}, []string{"good.yaml", "talk.json"}, "", "this is a recording"},
		"by a glob": {map[string]string{"talk.json": talk}, []string{"*"}, "", "this is a recording"},
		"in a folder": {
			map[string]string{"talk.json": talk}, []string{"."},
			"talk.json is a recording, and so not run; judge it: arena eval --assert CHECKS.yaml talk.json", "",
		},
		"several": {
			map[string]string{"1.json": talk, "2.json": talk, "3.json": talk, "4.json": talk}, []string{"."},
			"4 recordings are not run: 1.json, 2.json, 3.json and 1 more; judge them: arena eval --assert CHECKS.yaml 1.json", "",
		},
		"judged in a folder": {map[string]string{"talk.json": talk, "e.yaml": eval}, []string{"."}, "", ""},
		"judged and named":   {map[string]string{"talk.json": talk, "e.yaml": eval}, []string{"e.yaml", "talk.json"}, "", ""},
		"replayed":           {map[string]string{"talk.json": talk, "r.yaml": replay}, []string{"."}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.files["good.yaml"] = goodFile
			suite, diags := scenario.Load(scenario.Options{Dir: writeFiles(t, c.files), Paths: c.paths})
			if got := strings.Join(suite.Notes, "\n"); got != c.note {
				t.Errorf("got the note %q, want %q", got, c.note)
			}
			warned := ""
			for _, d := range diags.Sorted() {
				warned += d.Line()
			}
			if c.warns == "" && warned != "" || !strings.Contains(warned, c.warns) {
				t.Errorf("got %q, want %q", warned, c.warns)
			}
		})
	}
}

// TestWhereFilesOfOtherKindsBelong: a file of the wrong kind in a list of the config is reported with its right place.
func TestWhereFilesOfOtherKindsBelong(t *testing.T) {
	t.Parallel()
	for text, way := range map[string]string{
		`{"messages": [{"role": "assistant", "content": "a"}]}`:                           "arena eval --assert CHECKS.yaml other.json",
		`{"fragment_type": "a", "content": "b"}`:                                          "under fragments",
		`{"system_template": "a"}`:                                                        "under prompt_configs",
		`{"prompt_configs": []}`:                                                          "arena run -c other.json",
		`{"kind": "RuntimeConfig", "metadata": {"name": "a"}, "spec": {"sandboxes": {}}}`: "under runtime",
	} {
		dir := writeFiles(t, map[string]string{
			"good.yaml": goodFile, "other.json": text,
			"config.arena.yaml": "scenarios: [{file: good.yaml}, {file: other.json}]\nprovider_specs: {m: {type: mock, model: m}}\n",
		})
		_, diags := scenario.Load(scenario.Options{Dir: dir})
		found := diags.Sorted()
		if len(found) != 1 || found[0].Code != "wrong-kind" || !strings.Contains(found[0].Hint, way) {
			t.Errorf("%s: want a hint with %q, got %+v", text, way, found)
		}
	}
}

func writeFiles(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
