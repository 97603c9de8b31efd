package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkSelfPlay runs trials of ten turns whose user is played, beside scripted ones with as many calls of models:
// twenty each.
func BenchmarkSelfPlay(b *testing.B) {
	const trials = 1000
	dir := b.TempDir()
	var scripted, said strings.Builder
	for i := range 20 {
		fmt.Fprintf(&scripted, "        - {role: user, content: Question %d, assertions: [*way]}\n", i+1)
		fmt.Fprintf(&said, "%d: Question %d, ", i+1, i+1)
	}
	files := map[string]string{
		"config.arena.yaml": fmt.Sprintf(`kind: Arena
spec:
  provider_specs: {agent: {type: mock, model: m, additional_config: {mock_config: mocks.yaml}}}
  providers: [{file: users.yaml, group: users}]
  self_play:
    persona_specs: {asks: {description: d, goals: [], constraints: [], system_template: You ask.}}
    roles: [{id: customer, provider: users}]
  scenario_specs:
    played:
      description: d
      trials: %d
      turns: [{role: customer, persona: asks, turns: 10, assertions: [&way {type: contains, params: {patterns: [way]}}]}]
    scripted:
      description: d
      trials: %[1]d
      turns:
%s  defaults: {}
`, trials, scripted.String()),
		"users.yaml": "kind: Provider\nmetadata: {name: users}\n" +
			"spec: {type: mock, model: u, additional_config: {mock_config: mocks.yaml}}\n",
		"mocks.yaml": "scenarios:\n  played: {defaultResponse: On its way.}\n  scripted: {defaultResponse: On its way.}\n" +
			"selfplay: {asks: {turns: {" + strings.TrimSuffix(said.String(), ", ") + "}}}\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for _, scenario := range []string{"scripted", "played"} {
		b.Run(scenario, func(b *testing.B) {
			for b.Loop() {
				code, log := arena(b, "run", dir, "--scenario", scenario, "-o", filepath.Join(dir, "out"), "--format", "json")
				if code != 0 {
					b.Fatalf("exit status %d\n%s", code, log)
				}
			}
		})
	}
}
