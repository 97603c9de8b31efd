package scenario

import (
	"testing"
)

// TestTables: every table fits its bookkeeping, and no key is listed twice.
func TestTables(t *testing.T) {
	t.Parallel()
	tables := map[string][]string{
		"arena": fieldNames(arenaFields), "scenario": fieldNames(scenarioFields), "turn": fieldNames(turnFields),
		"check": fieldNames(checkFields), "prompt": fieldNames(promptFields), "provider": fieldNames(providerFields),
		"tool": fieldNames(toolFields), "persona": fieldNames(personaFields), "eval": fieldNames(recordingEvalFields),
		"runtime": fieldNames(runtimeFields), "defaults": fieldNames(defaultsFields), "pack": fieldNames(packFields),
		"mock reply": fieldNames(mockTurnFields),
	}
	for table, names := range tables {
		if len(names) > 64 {
			t.Errorf("%s: %d keys do not fit", table, len(names))
		}
		seen := map[string]bool{}
		for _, name := range names {
			if seen[name] {
				t.Errorf("%s: %q is listed twice", table, name)
			}
			seen[name] = true
		}
	}
}

func fieldNames[T any](f *fields[T]) []string {
	var names []string
	for _, x := range f.all() {
		names = append(names, x.Name)
	}
	return names
}
