package names

import (
	"regexp"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestToolsOfJudgedRun: a name is refused only if certainly nothing had that name in the judged run; tools of servers
// and remote agents are compared in the trials.
func TestToolsOfJudgedRun(t *testing.T) {
	t.Parallel()
	tool := func(kind checks.Kind, name string) *checks.NameUse {
		use := &checks.NameUse{Kind: kind, Name: name, Param: "tools", Pos: diag.Pos{File: "f", Line: 1, Col: 1}}
		if kind == checks.ToolPattern {
			use.Pattern = regexp.MustCompile(name)
		}
		return use
	}
	names := func(kinds ...string) *result.Declared {
		d := &result.Declared{Names: map[string][]string{}}
		for _, k := range kinds {
			kind, list, _ := strings.Cut(k, "=")
			d.Names[kind] = strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
		}
		return d
	}
	plain := names("tool=look", "server=", "agent=")
	served := names("tool=look", "server=shop", "agent=desk")
	for _, c := range []struct {
		use  *checks.NameUse
		then *result.Declared
		want string // "": no problem
	}{
		{tool(checks.ToolName, "look"), plain, ""},
		{tool(checks.ToolName, "lok"), plain, `no tool "lok"`},
		{tool(checks.ToolName, "lok"), served, `no tool "lok"`},
		{tool(checks.ToolName, "lok"), names("server=", "agent="), ""},
		{tool(checks.ToolPattern, "^lo+k$"), plain, ""},
		{tool(checks.ToolPattern, "^find"), plain, `no tool that matches "^find"`},
		{tool(checks.ToolPattern, "^find"), served, ""},
		{tool(checks.ToolName, "mcp__shop__buy"), served, ""},
		{tool(checks.ToolName, "mcp__store__buy"), served, `no MCP server with the tool "mcp__store__buy"`},
		{tool(checks.ToolName, "mcp__shop__buy"), plain, `no MCP server with the tool "mcp__shop__buy"`},
		{tool(checks.ToolName, "mcp__shop__buy"), names("tool="), ""},
		{tool(checks.ToolName, "a2a__desk__ask"), served, ""},
		{tool(checks.ToolName, "a2a__desk__ask"), plain, `no tool "a2a__desk__ask"`},
		{tool(checks.AgentName, "desk"), served, ""},
		{tool(checks.AgentName, "reception"), served, `no agent "reception"`},
		{tool(checks.AgentName, "card of desk"), served, ""},
		{tool(checks.AgentName, "reception"), plain, `no agent "reception"`},
		{tool(checks.AgentName, "look"), plain, ""},
	} {
		n := &Checker{
			Project: &scenario.Project{Agents: []*scenario.Agent{{Name: "reception"}}}, Diags: &diag.List{},
		}
		n.checkRanTool("c", c.use, c.then)
		got := ""
		for _, d := range n.Diags.Sorted() {
			got += d.Msg
		}
		if got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s %q with %v: %q, want %q", c.use.Kind, c.use.Name, c.then.Names, got, c.want)
		}
	}
}

// TestJoinDeclared: a name is unknown only if none of several projects had it, and a kind that one of them does not
// record is unknown as a whole.
func TestJoinDeclared(t *testing.T) {
	t.Parallel()
	a := &result.Declared{Names: map[string][]string{"tool": {"x"}, "state": {}, "skill": {"s"}}}
	b := &result.Declared{Names: map[string][]string{"tool": {"y"}, "state": {"one"}}}
	both := Join([]*result.Declared{a, b, a})
	if both.KnownAbsent("tool", "x") || both.KnownAbsent("tool", "y") || !both.KnownAbsent("tool", "z") || both.KnownAbsent("state", "one") ||
		!both.KnownAbsent("state", "two") || both.KnownAbsent("skill", "other") {
		t.Errorf("%v", both.Names)
	}
	if Join([]*result.Declared{a, nil}) != nil || Join(nil) != nil {
		t.Error("what is not known of one is known of all")
	}
}
