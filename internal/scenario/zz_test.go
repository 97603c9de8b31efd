package scenario

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

func TestZZ(t *testing.T) {
	configs, _ := filepath.Glob("/work/shared/compat/*/*arena*.yaml")
	for _, c := range configs {
		dir := filepath.Dir(c)
		suite, diags := Load(Options{Dir: dir, Config: filepath.Base(c), Lenient: os.Getenv("STRICT") == "", Getenv: os.LookupEnv})
		t.Logf("######## %s: files %d, %s", c, suite.Files, diag.Summary(diags.Sorted(), suite.Files))
		var list []diag.Diagnostic
		for _, d := range diags.Sorted() {
			if d.Code == "two-names" {
				continue
			}
			list = append(list, d)
		}
		diag.Print(os.Stdout, list, diag.PrintOptions{Read: func(f string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, f)) }})
	}
}
