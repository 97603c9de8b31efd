package preflight_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/scenario"
)

var update = flag.Bool("update", false, "rewrite what is expected in testdata")

// TestCorpus: each archive of testdata is a project, with all that is said of it before anything is planned.
func TestCorpus(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			want := &archive.Files[len(archive.Files)-1] // the last file: what is said
			if want.Name != "want" {
				t.Fatalf("the last file is %s, not want", want.Name)
			}
			for _, f := range archive.Files {
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := strings.ReplaceAll(said(t, dir), dir+string(filepath.Separator), "")
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// said is all that is reported of the project in a folder, a line each.
func said(t *testing.T, dir string) string {
	t.Helper()
	none := func(string) (string, bool) { return "", false }
	suite, problems := checks.Load(scenario.Options{Config: filepath.Join(dir, "config.arena.yaml"), Getenv: none})
	if suite == nil || problems.Errors() > 0 {
		t.Fatal(problems.Sorted())
	}
	p := suite.Projects[0]
	d := &diag.List{}
	preflight.Guardrails(p, p.Scenarios, d)
	preflight.IdleGates(p, p.Scenarios, d)
	preflight.LastReplyAlone(p, p.Scenarios, d)
	preflight.UncheckedSchemas(p, p.Scenarios, d)
	preflight.RaisedLimits(p, p.Scenarios, d)
	preflight.ForeseeOutside(p, p.Scenarios, d)
	for _, s := range p.Scenarios {
		preflight.Idle(p, s, false, d)
		preflight.Window(p, s, p.Providers, scenario.DefaultRegion, d)
		for _, spec := range p.Providers {
			before := d.Errors()
			if ok := preflight.Agent(s, spec, d); ok != (d.Errors() == before) {
				t.Errorf("%s with %s: Agent returns %t, and reports %d errors", s.ID, spec.ID, ok, d.Errors()-before)
			}
			preflight.AgentProgram(spec, none, d)
		}
	}
	preflight.NotUsed(p, "", d)
	var b strings.Builder
	for _, one := range d.Sorted() {
		b.WriteString(one.Pos.String() + ": " + one.Severity.String() + " [" + one.Code + "] " + one.Msg + "\n")
		if one.Hint != "" {
			b.WriteString("  = " + one.Hint + "\n")
		}
	}
	return b.String()
}
