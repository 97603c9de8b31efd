package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRender(t *testing.T) {
	t.Parallel()
	vars := map[string]string{
		"name": "Ada", "full": "{{name}} Lovelace", "a": "{{b}}", "b": "{{a}}", "self": "x{{self}}", "artifacts.plan": "go",
		"empty": "", "braces": "{not}", "double": "{{double}}{{double}}", "dash-ed": "d", "größe": "XL",
	}
	tests := []struct {
		name, template, want string
		open                 []string
	}{
		{"plain", "Hello", "Hello", nil},
		{"one", "Hello {{name}}!", "Hello Ada!", nil},
		{"twice", "{{name}} and {{name}}", "Ada and Ada", nil},
		{"nested", "{{full}}", "Ada Lovelace", nil},
		{
			"unknown", "{{name}} of {{country}} and {{city}}, {{country}}", "Ada of {{country}} and {{city}}, {{country}}",
			[]string{"city", "country"},
		},
		{"spaces are no placeholder", "{{ name }}", "{{ name }}", nil},
		{"json is no placeholder", `{{"a": 1}} {{name}}`, `{{"a": 1}} Ada`, nil},
		{"three braces", "{{{name}}}", "{Ada}", nil},
		{"unclosed", "{{name", "{{name", nil},
		{"empty value", "[{{empty}}]", "[]", nil},
		{"dots", "{{artifacts.plan}}", "go", nil},
		{"dash", "{{dash-ed}}", "d", nil},
		{"letters", "{{größe}}", "XL", nil},
		{"value with braces", "{{braces}}", "{not}", nil},
		{"cycle", "{{a}}", "{{a}}", []string{"a"}},
		{"grows", "{{self}}", strings.Repeat("x", 10) + "{{self}}", []string{"self"}},
		{"no braces", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, open := Render(tt.template, vars)
			if got != tt.want {
				t.Errorf("text: got %q, want %q", got, tt.want)
			}
			if diff := cmp.Diff(tt.open, open); diff != "" {
				t.Errorf("open (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRenderIsBounded: recursive values end soon.
func TestRenderIsBounded(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"x": strings.Repeat("{{x}}", 1000)}
	if got, _ := Render("{{x}}", vars); len(got) > renderLimit {
		t.Errorf("the text has %d bytes", len(got))
	}
}

func FuzzRender(f *testing.F) {
	f.Add("Hello {{name}}", "{{name}}")
	f.Add("{{{{a}}}}", "}}{{")
	f.Fuzz(func(t *testing.T, template, value string) {
		vars := map[string]string{"name": value, "a": value}
		text, open := Render(template, vars)
		if len(text) > renderLimit && len(text) > len(template) {
			t.Errorf("%d bytes", len(text))
		}
		for _, name := range open {
			if !strings.Contains(text, "{{"+name+"}}") {
				t.Errorf("%q is reported open and not in %q", name, text)
			}
		}
		Substitute(template, vars)
		Placeholders(template)
		if back, _ := Render(Literal(template), vars); back != template {
			t.Errorf("%q is read back as %q", template, back)
		}
	})
}
