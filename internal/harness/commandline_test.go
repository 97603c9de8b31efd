package harness

import (
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestCommandLines learns the secrets in the arguments of programs of every kind, and nothing else of them.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	args := []string{
		"python3", "agent.py", "--api-key=Zq00xK7vLmP00w9Rt", "--password", "Zq01xK7vLmP01w9Rt",
		"Authorization: Bearer Zq16xK7vLmP16w9Rt", "https://u:Zq02xK7vLmP02w9Rt@h/", "GITHUBTOKEN=Zq03xK7vLmP03w9Rt",
		"-token", "correct-horse-staple", "host=db password=Zq04xK7vLmP04w9Rt", "--header", "X-Api-Key: Zq05xK7vLmP05w9Rt",
		"--token-limit", "1000000", "--session-name=main-session", "--model", "claude-sonnet-4-5-20250929", "--key", "--fast",
		"--config=conf-20241122T1200.json", "http://localhost:8080/v1", "--token",
	}
	want := []string{
		"Bearer Zq16xK7vLmP16w9Rt", "Zq00xK7vLmP00w9Rt", "Zq01xK7vLmP01w9Rt", "Zq02xK7vLmP02w9Rt", "Zq03xK7vLmP03w9Rt",
		"Zq04xK7vLmP04w9Rt", "Zq05xK7vLmP05w9Rt", "Zq16xK7vLmP16w9Rt", "correct-horse-staple",
	}
	program := &scenario.Provider{Program: &scenario.Program{Command: args}}
	for what, p := range map[string]*scenario.Project{
		"a scenario's program": {Scenarios: []*scenario.Scenario{{Agent: program}}},
		"a provider's program": {Providers: []*scenario.Provider{program}},
		"a check":              {Handlers: []*scenario.Handler{{Args: args}}},
		"a server":             {Servers: []*scenario.Server{{Args: args}}},
		"a tool":               {Tools: []*scenario.Tool{{Exec: &scenario.ExecTool{Args: args}}}},
	} {
		v := NewSecrets(nil)
		v.watchProject(p)
		known := v.Known()
		slices.Sort(known)
		if !slices.Equal(known, want) {
			t.Errorf("%s: known are %q, want %q", what, known, want)
		}
	}
}

// TestVariablesOfScenarioPrograms learns the keys and passwords among the variables of a scenario's program.
func TestVariablesOfScenarioPrograms(t *testing.T) {
	t.Parallel()
	outside := map[string]string{"HUB": "hunter5-long-secret", "DSN": "redis://:hunter7-long-secret@h/"}
	v := NewSecrets(nil)
	v.watchProject(&scenario.Project{
		Dotenv: map[string]string{
			"PGPASSWORD": "hunter2-long-secret", "DATABASE_URL": "postgres://bob:hunter3-long-secret@db/x",
			"GITHUBTOKEN": "hunter4-long-secret", "MODE": "no-secret-at-all-2024x",
		},
		Scenarios: []*scenario.Scenario{{Agent: &scenario.Provider{Program: &scenario.Program{Env: []string{
			"GITHUBTOKEN=${HUB}", "OTHERTOKEN=lit-hunter6-secret", "CACHE=${DSN}", "MODE=deterministic",
			"MODEL=claude-4-5-20250929",
		}}}}},
		Getenv: func(name string) (string, bool) { value, set := outside[name]; return value, set },
	})
	known := v.Known()
	slices.Sort(known)
	want := []string{
		"hunter2-long-secret", "hunter3-long-secret", "hunter4-long-secret", "hunter5-long-secret", "hunter7-long-secret",
		"lit-hunter6-secret",
	}
	if !slices.Equal(known, want) {
		t.Errorf("known are %q, want %q", known, want)
	}
}
