package a2a

import "testing"

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ card, skill, want string }{
		{"Research Agent", "search_papers", "a2a__research_agent__search_papers"},
		{" --My.Agent (v2)! ", "Look__Up", "a2a__my_agent_v2__look_up"},
		{"Käse", "日本", "a2a__k_se__"},
	} {
		if got := ToolName(c.card, c.skill); got != c.want {
			t.Errorf("%q %q: %s, want %s", c.card, c.skill, got, c.want)
		}
	}
	for _, c := range []struct {
		tool, card string
		want       bool
	}{
		{"a2a__research_agent__search", "Research Agent", true},
		{"a2a__research_agent__search", "research-agent", true},
		{"a2a__research_agent__search", "Research", false},
		{"a2a__research__agent", "Research Agent", false},
		{"a2a__research_agent__search", "", false},
		{"a2a____search", "!", false},
		{"research_agent__search", "Research Agent", false},
	} {
		if got := Asks(c.tool, c.card); got != c.want {
			t.Errorf("%s asks %q: %v", c.tool, c.card, got)
		}
	}
}
