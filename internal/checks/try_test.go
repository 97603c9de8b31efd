package checks

import (
	"strings"
	"testing"
)

func TestTry(t *testing.T) {
	t.Parallel()
	v, problems := Try(t.Context(), "contains", `{"patterns": "x"}`, "x marks it", ScopeSession)
	if v == nil || !v.Passed || len(problems) != 0 {
		t.Errorf("%+v %v", v, problems)
	}
	for _, tc := range []struct{ name, params, scope, want string }{
		{"contains", "", ScopeTurn, `params.json:1:1 contains: missing parameter "patterns" (list of text)`},
		{"contains", "{\n\t\"patterns\": 1,\n\t\"x\": 2\n}", ScopeTurn, `params.json:3:2 contains: unknown parameter "x"`},
		{"contains", `{"patterns": }`, ScopeTurn, "params.json:1:14 invalid character '}'"},
		{"contains", `{} {}`, ScopeTurn, "params.json:1:"},
		{"contians", `{}`, ScopeTurn, `params.json unknown check "contians"`},
		{"contains", `{}`, "trial", `params.json scope cannot be "trial"; expected turn or session`},
	} {
		v, problems := Try(t.Context(), tc.name, tc.params, "x", tc.scope)
		if v != nil || len(problems) == 0 || !strings.HasPrefix(problems[0].Pos.String()+" "+problems[0].Msg, tc.want) {
			t.Errorf("%+v: %v %v", tc, v, problems)
		}
	}
}
