package skill_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/skill"
)

func TestFilter(t *testing.T) {
	t.Parallel()
	set := skill.NewSet(
		&skill.Skill{Name: "pci", Path: "skills/billing/pci"},
		&skill.Skill{Name: "refund", Path: "skills/billing/cards/refund"},
		&skill.Skill{Name: "orders", Path: "skills/orders"},
		&skill.Skill{Name: "tone"},
	)
	for text, want := range map[string]string{
		"":                    "orders pci refund tone",
		"none":                "",
		" None ":              "",
		"skills/billing/*":    "pci",
		"./skills/billing/*/": "pci",
		"skills/billing/**":   "pci refund",
		"skills/billing":      "pci refund",
		"skills/":             "orders pci refund",
		"skills/*":            "orders",
		"skills/**/refund":    "refund",
		"**/p?i":              "pci",
		"**":                  "orders pci refund tone",
		"tone":                "tone",
		"orders":              "",
		"skills/bill":         "",
	} {
		f, err := skill.NewFilter(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		var got []string
		for _, s := range set.Allowed(f) {
			got = append(got, s.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if f, err := skill.NewFilter("skills/[a"); err == nil || len(set.Allowed(f)) > 0 {
		t.Errorf("a broken pattern: %v, allows %d", err, len(set.Allowed(f)))
	}
}

func TestSetKeepsTheFirst(t *testing.T) {
	t.Parallel()
	set := skill.NewSet(&skill.Skill{Name: "b", Instructions: "first"}, &skill.Skill{Name: "a"},
		&skill.Skill{Name: "b", Instructions: "second", Preload: true})
	if !slices.Equal(set.Names(), []string{"a", "b"}) {
		t.Errorf("%q", set.Names())
	}
	if b := set.All()[1]; b.Instructions != "first" || !b.Preload {
		t.Errorf("%+v", b)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	set := skill.NewSet(
		&skill.Skill{Name: "pci", Path: "skills/billing/pci", Tools: []string{"mask", "get_order"}},
		&skill.Skill{Name: "refund", Path: "skills/billing/refund", Tools: []string{"refund", "get_order"}},
		&skill.Skill{Name: "tone", Path: "skills/tone", Preload: true, Tools: []string{"spell"}},
	)
	billing, err := skill.NewFilter("skills/billing/*")
	if err != nil {
		t.Fatal(err)
	}
	s := set.Open(skill.Filter{})
	expect := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	try := func(_ any, err error) string { return fmt.Sprint(err) }
	tools := func() string { return strings.Join(s.Tools(), " ") }

	expect("tools of what is preloaded", tools(), "spell")
	expect("activate", try(s.Activate("refund")), "<nil>")
	expect("activate again", try(s.Activate("refund")), "<nil>")
	expect("activate another", try(s.Activate("pci")), "<nil>")
	expect("tools", tools(), "get_order mask refund spell")
	removed, err := s.Deactivate("pci")
	expect("a tool that another skill needs stays", fmt.Sprint(removed, err), "[mask] <nil>")
	expect("deactivate again", try(s.Deactivate("pci")), `the skill "pci" is not active`)
	expect("deactivate what is preloaded", try(s.Deactivate("tone")), `the skill "tone" is always active`)
	expect("misspelt", try(s.Activate("refnd")), `there is no skill "refnd" (did you mean "refund"?)`)

	s.Enter(billing)
	expect("a skill that the state allows stays, what it does not allow goes", tools(), "get_order refund")
	expect("not allowed here", try(s.Activate("tone")), `the skill "tone" is not available in this state`)
	expect("preloaded, but not allowed", fmt.Sprint(len(s.Preloaded())), "0")
	s.Enter(skill.Filter{})
	expect("preloaded again", tools(), "get_order refund spell")
}

func TestResource(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	dir := filepath.Join(outside, "skill")
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("secret", "key")
	write("skill/policy.md", "thirty days")
	write("skill/deep/table.csv", "a,b")
	write("skill/binary", "\xff\xfe")
	write("skill/large", strings.Repeat("x", skill.MaxFile+1))
	for link, to := range map[string]string{"out": "../secret", "far": filepath.Join(outside, "secret"), "in": "policy.md"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := skill.NewSet(&skill.Skill{Name: "refund", Dir: dir}, &skill.Skill{Name: "inline"}).Open(skill.Filter{})
	for path, want := range map[string]string{
		"policy.md": "thirty days", "deep/table.csv": "a,b", "./deep/../policy.md": "thirty days", "in": "thirty days",
	} {
		if got, err := s.Resource("refund", path); err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"../secret", "deep/../../secret", filepath.Join(outside, "secret"), "out", "far", "deep", "",
		".", "gone", "binary", "large", "/dev/zero", "policy.md\x00"} {
		got, err := s.Resource("refund", path)
		if err == nil || got != "" {
			t.Errorf("%q: %q is read", path, got)
			continue
		}
		if strings.Contains(strings.ReplaceAll(err.Error(), fmt.Sprintf("%q", path), ""), outside) {
			t.Errorf("%q: the error names the folder: %v", path, err)
		}
	}
	for name, want := range map[string]string{"inline": `the skill "inline" has no files`, "x": `there is no skill "x"`} {
		if _, err := s.Resource(name, "a"); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
