package diag

import "testing"

// TestForeignName: a field name of another tool leads only to a field that is known at its position.
func TestForeignName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"assert", []string{"assertions", "asset"}, "assertions"}, {"assert", []string{"id"}, ""},
		{"system_prompt", []string{"system_template"}, "system_template"}, {"apiKey", []string{"credential"}, "credential"},
		{"api-key", []string{"credential"}, "credential"}, {"max_cost", []string{"max_score", "max_cost_usd"}, "max_cost_usd"},
		{"prompt", []string{"task_type"}, "task_type"}, {"prompt", []string{"content", "role"}, "content"},
		{"unheard_of", []string{"assertions"}, ""},
	} {
		if got := ForeignName(c.name, c.known); got != c.want {
			t.Errorf("%s among %v: got %q, want %q", c.name, c.known, got, c.want)
		}
	}
	for name, meant := range foreignNames {
		if fold(name) != name {
			t.Errorf("%s is never found: names are folded", name)
		}
		for _, field := range meant {
			if field == name {
				t.Errorf("%s is what it is called here", name)
			}
		}
	}
}
