package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/keys"
)

// TestProviderKeys writes every key of a provider, one at a time, and checks that each changes the loaded provider or
// gets a warning. No key may be ignored.
func TestProviderKeys(t *testing.T) {
	t.Parallel()
	about := map[string]bool{ // descriptions without effect
		"id": true, "name": true, "pricing_correct_at": true, "stream_retry.retry_window": true, "stream_retry.enabled": true,
	}
	for _, kind := range []string{"openai", "azure", "openai-compatible", "vllm", "ollama"} {
		base := map[string]string{
			"type": kind, "model": "m", "base_url": "http://127.0.0.1:1", "role": "llm",
		}
		keys := providerKeys(kind)
		if len(keys) < 50 {
			t.Fatalf("only %d keys were found", len(keys))
		}
		for path, value := range keys {
			if about[path] {
				continue
			}
			plain, _ := loadProvider(t, base, beside(path))
			got, said := loadProvider(t, base, beside(path), map[string]string{path: value})
			if got == nil {
				t.Errorf("%s: %s: %s cannot be read:\n%s", kind, path, value, said)
				continue
			}
			if reflect.DeepEqual(plain, got) && !strings.Contains(said, "no effect") {
				t.Errorf("%s: %s: %s changes nothing, and nobody is told:\n%s", kind, path, value, said)
			}
		}
	}
}

// providerKeys are all keys by their path, each with a value.
func providerKeys(kind string) map[string]string {
	all := map[string]string{}
	var walk func(prefix string, f keys.Table)
	walk = func(prefix string, f keys.Table) {
		for _, k := range f.Keys() {
			path := prefix + k.Name
			if nested, ok := k.Shape.(keys.Table); ok {
				walk(path+".", nested)
				continue
			}
			all[path] = sample(path, k.Shape)
		}
	}
	walk("", providerFields)
	delete(all, "additional_config")
	walk("additional_config.", ProviderTypeOf(kind).settings)
	for _, own := range []string{"type", "base_url", "model", "credential.credential_file"} {
		delete(all, own) // in the base, or of a file that has to be there
	}
	return all
}

// sample is a value of a shape that differs from the default.
func sample(path string, s keys.Shape) string {
	switch path {
	case "capabilities":
		return "[vision]"
	case "role":
		return "embedding"
	case "platform.type":
		return "azure"
	case "headers", "additional_config.extra_body":
		return "{x: y}"
	case "unsupported_params":
		return "[seed]"
	}
	switch s := s.(type) {
	case keys.Words:
		return s[len(s)-1]
	case keys.Bool:
		return "true"
	case keys.Span:
		return "7s"
	case keys.Number:
		if s.Integer {
			return "7"
		}
		return "0.7"
	case keys.List:
		return "[a]"
	case replyFormatShape:
		return "json_object"
	}
	return "a"
}

// beside is the keys that a key requires.
func beside(path string) map[string]string {
	all := map[string]string{}
	for prefix, needs := range map[string][]string{
		"platform.": {"platform.type"}, "pricing.": {"pricing.input_cost_per_1k", "pricing.output_cost_per_1k"},
		"stream_retry.": {"stream_retry.enabled"}, "stream_retry.budget.": {"stream_retry.budget.rate_per_sec"},
		"rate_limit.burst": {"rate_limit.rps"},
	} {
		for _, key := range needs {
			if key != path && strings.HasPrefix(path, prefix) {
				all[key] = map[string]string{"platform.type": "azure", "stream_retry.enabled": "true"}[key]
				if all[key] == "" {
					all[key] = "1"
				}
			}
		}
	}
	return all
}

// loadProvider loads a provider with these keys. nil: it could not be read.
func loadProvider(t *testing.T, sets ...map[string]string) (*Provider, string) {
	t.Helper()
	tree := map[string]any{}
	for _, keys := range sets {
		for path, v := range keys {
			plant(tree, path, v)
		}
	}
	dir := t.TempDir()
	text := "kind: Provider\nmetadata: {name: p}\nspec: " + flow(tree) + "\n"
	config := "kind: Arena\nmetadata: {name: a}\nspec: {providers: [{file: p.yaml}], scenarios: [], defaults: {}}\n"
	for name, content := range map[string]string{"p.yaml": text, "config.arena.yaml": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	suite, diags := Load(Options{Dir: dir, Bare: true, Getenv: func(string) (string, bool) { return "", false }})
	var said strings.Builder
	for _, d := range diags.Sorted() {
		fmt.Fprintf(&said, "%s: %s\n", d.Severity, d.Msg)
	}
	if diags.Errors() > 0 || len(suite.Projects) != 1 || len(suite.Projects[0].Providers) != 1 {
		return nil, said.String()
	}
	p := *suite.Projects[0].Providers[0]
	for _, f := range suite.Projects[0].Later {
		fmt.Fprintf(&said, "later: %s has no effect yet\n", f.Name)
	}
	// The position of a value and the raw text are not an effect.
	p.File, p.Dir, p.Extra = "", "", nil
	p.Pos.File, p.KeyPos.File, p.KeyPos.Line, p.KeyPos.Col = "", "", 0, 0
	if p.Platform != nil {
		platform := *p.Platform
		platform.Pos.File, platform.Pos.Line, platform.Pos.Col = "", 0, 0
		p.Platform = &platform
	}
	p.FormatPos.File, p.FormatPos.Line, p.FormatPos.Col = "", 0, 0
	return &p, said.String()
}

func plant(tree map[string]any, path, value string) {
	key, rest, nested := strings.Cut(path, ".")
	if !nested {
		tree[key] = value
		return
	}
	inner, _ := tree[key].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
		tree[key] = inner
	}
	plant(inner, rest, value)
}

// flow writes a tree as YAML on one line.
func flow(tree map[string]any) string {
	var parts []string
	for key, v := range tree {
		if inner, ok := v.(map[string]any); ok {
			v = flow(inner)
		}
		parts = append(parts, fmt.Sprintf("%s: %v", key, v))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// TestImagenRole: the kind of media of an imagen model is known by the model's name.
func TestImagenRole(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{"imagen-4.0-generate-001": "image", "veo-3.1-generate-preview": "video"} {
		base := map[string]string{"type": "imagen", "model": model}
		if got, said := loadProvider(t, base); got == nil || got.Role != want || got.Makes() != want {
			t.Errorf("%s: %+v, want the role %s\n%s", model, got, want, said)
		}
		base["role"] = "image"
		if got, _ := loadProvider(t, base); got == nil || got.Role != "image" {
			t.Errorf("%s: the role of the file does not hold", model)
		}
	}
}
