package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/skill"
)

// TestEveryFieldOfSkillsDecides: what a skill holds is summed apart, and each of its fields counts but for those that
// say where it lies. The instructions of a file count with its text.
func TestEveryFieldOfSkillsDecides(t *testing.T) {
	t.Parallel()
	of := func(s skill.Skill) string {
		trial, _ := filledTrial()
		trial.Project.Skills = skill.NewSet(&s, &skill.Skill{Name: "last"})
		return NewFingerprints(&Options{}).Of(trial)
	}
	for _, text := range []string{"", "---\nname: refund\n---\n"} {
		one := skill.Skill{}
		fill(reflect.ValueOf(&one).Elem(), map[reflect.Type]bool{})
		one.Text = text
		want := of(one)
		for i := range reflect.TypeFor[skill.Skill]().NumField() {
			other := one
			field, v := reflect.TypeFor[skill.Skill]().Field(i), reflect.ValueOf(&other).Elem().Field(i)
			change(v)
			left := field.Tag.Get(digest.Tag) == "-" || isPosition(field.Type) || field.Name == "Instructions" && text != ""
			if got := of(other); (got == want) != left {
				t.Errorf("%s, text %q: changed: %v; left out: %v", field.Name, text, got != want, left)
			}
		}
	}
}

// TestFilesOfSkillsDecide: a model can read the files of a skill, and its SKILL.md to the last sign.
func TestFilesOfSkillsDecide(t *testing.T) {
	t.Parallel()
	const text = "---\nname: refund\ndescription: Refunds.\nlicense: MIT\n---\n\nAsk first.\n"
	of := func(files map[string]string) string {
		dir := t.TempDir()
		files["config.arena.yaml"] = "kind: Arena\nmetadata: {name: s}\nspec:\n  skills: [{path: skills}]\n" +
			"  scenario_specs: {s: {turns: [{role: user, content: hi}]}}\n  provider_specs: {m: {type: mock, model: m}}\n"
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		suite, diags := scenario.Load(scenario.Options{Config: filepath.Join(dir, "config.arena.yaml")})
		if diags.Errors() > 0 {
			t.Fatal(diags.Sorted())
		}
		trial, _ := filledTrial()
		trial.Project = &project{Project: suite.Projects[0]}
		return NewFingerprints(&Options{}).Of(trial)
	}
	seen := map[string]int{}
	for i, files := range []map[string]string{
		{"skills/refund/SKILL.md": text},
		{"skills/refund/SKILL.md": strings.Replace(text, "first", "later", 1)},
		{"skills/refund/SKILL.md": strings.Replace(text, "MIT", "BSD", 1)},
		{"skills/refund/SKILL.md": strings.ReplaceAll(text, "\n", "\r\n")},
		{"skills/refund/SKILL.md": "\ufeff" + text},
		{"skills/refund/SKILL.md": text + "\n"},
		{"skills/refund/SKILL.md": text, "skills/refund/form.md": "a"},
		{"skills/refund/SKILL.md": text, "skills/refund/form.md": "b"},
		{"skills/refund/SKILL.md": text, "skills/refund/more/form.md": "b"},
		{"skills/refund/SKILL.md": text, "skills/refund/more/SKILL.md": strings.Replace(text, "refund", "more", 1)},
	} {
		mark := of(files)
		if before, twice := seen[mark]; twice {
			t.Errorf("%d is the same as %d", i, before)
		}
		seen[mark] = i
		if again := of(files); again != mark {
			t.Errorf("%d is not the same twice", i)
		}
	}
}

// BenchmarkFingerprintSkills sums a project of 500 skills of 20 KiB, which each run does once at its start.
func BenchmarkFingerprintSkills(b *testing.B) {
	body := strings.Repeat("Read the order before you decide about money, and state the amount.\n", 300)
	var list []*skill.Skill
	for i := range 500 {
		text := fmt.Sprintf("---\nname: skill-%d\ndescription: d\n---\n%s", i, body)
		list = append(list, &skill.Skill{
			Name: fmt.Sprintf("skill-%d", i), Description: "d", Text: text, Instructions: body, Path: "skills",
		})
	}
	p := &project{Project: &scenario.Project{Skills: skill.NewSet(list...)}}
	b.ReportAllocs()
	for b.Loop() {
		NewFingerprints(&Options{}).project(p)
	}
}
