package scenario_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestZZFalseGreen(t *testing.T) {
	type base struct{ Files map[string]*string }
	var bases map[string]base
	b, _ := os.ReadFile("/work/shared/falsegreen/bases.json")
	if err := json.Unmarshal(b, &bases); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Cases []struct {
			ID, Group, Base, Must, Dialect string
			Names                          []string
			Files                          map[string]*string
			Replace                        []struct{ File, Find, Replace string }
			Mkdir                          []string
			Args                           []string
			Config                         string
		}
	}
	b, _ = os.ReadFile("/work/shared/falsegreen/cases-public.json")
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Cases {
		dir := t.TempDir()
		files := map[string]string{}
		for f, s := range bases[c.Base].Files {
			files[f] = *s
		}
		for f, s := range c.Files {
			if s == nil {
				delete(files, f)
				continue
			}
			files[f] = *s
		}
		for _, r := range c.Replace {
			if !strings.Contains(files[r.File], r.Find) {
				t.Errorf("%s: replace not found %q", c.ID, r.Find)
			}
			files[r.File] = strings.ReplaceAll(files[r.File], r.Find, r.Replace)
		}
		for f, s := range files {
			s = strings.ReplaceAll(s, "@STUB@", "http://127.0.0.1:1")
			s = strings.ReplaceAll(s, "@DEAD@", "http://127.0.0.1:1")
			p := filepath.Join(dir, f)
			os.MkdirAll(filepath.Dir(p), 0o755)
			os.WriteFile(p, []byte(s), 0o644)
		}
		for _, m := range c.Mkdir {
			os.MkdirAll(filepath.Join(dir, m), 0o755)
		}
		comp := &checks.Compiler{}
		o := scenario.Options{Dir: dir, Config: "config.arena.yaml", Compile: func(ck *scenario.Check, d *diag.List) {
			if x := comp.Compile(ck, d); x != nil {
				ck.Compiled = x
			}
		}}
		if c.Dialect == "kensa" {
			o.Config, o.Paths = "", []string{".kensa/scenarios"}
		}
		if c.Config != "" {
			o.Config = c.Config
		}
		for i, a := range c.Args {
			if a == "--mock-config" {
				o.MockConfig = c.Args[i+1]
			}
		}
		_, list := scenario.Load(o)
		errs := list.Errors()
		var sb strings.Builder
		diag.Print(&sb, list.Sorted(), diag.PrintOptions{Read: func(f string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, f)) }})
		bad := ""
		if c.Must == "two" && errs == 0 {
			bad = "MISSED"
		}
		if c.Must == "zero" && errs > 0 {
			bad = "FALSE-ALARM"
		}
		if c.Must == "nonzero" && errs > 0 {
			bad = "early"
		}
		for _, n := range c.Names {
			if c.Must == "two" && errs > 0 && !strings.Contains(sb.String(), n) {
				bad += " NONAME " + n
			}
		}
		if bad != "" || os.Getenv("ALL") != "" {
			t.Logf("== %s %s %s must=%s args=%v\n%s", bad, c.ID, c.Group, c.Must, c.Args, sb.String())
		}
	}
}
