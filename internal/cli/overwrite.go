package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/runner"
)

// recordingsOf are the recordings that a plan judges or answers from.
func recordingsOf(plan *runner.Plan) []string {
	seen := map[string]bool{}
	for t := range plan.Groups() {
		if t.Recorded != nil {
			seen[t.Recorded.File] = true
		} else if r := t.Endpoint.Spec.Replay; r != nil {
			for _, file := range r.Recordings {
				seen[file] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// refuseOverwrite refuses outputs that would overwrite files that the run reads.
func refuseOverwrite(files []string, out *harness.Outputs, others ...string) error {
	var touched []os.FileInfo
	for _, path := range append(out.TouchedFiles(), others...) {
		if info, err := os.Stat(path); err == nil {
			touched = append(touched, info)
		}
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil { // reported by whoever reads it
			continue
		}
		if slices.ContainsFunc(touched, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
			return fmt.Errorf("the run would overwrite %s, which it reads\nname another folder for its reports, such as -o %s",
				file, shellQuote(filepath.Clean(out.Dir)+"-judged"))
		}
	}
	return nil
}
