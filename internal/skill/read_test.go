package skill_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/skill"
)

func read(text string) (*skill.Skill, []diag.Diagnostic) {
	list := &diag.List{}
	s := skill.Read(&node.Reader{File: "SKILL.md", Diags: list}, []byte(text))
	return s, list.Sorted()
}

func TestRead(t *testing.T) {
	t.Parallel()
	plain := &skill.Skill{Name: "refund", Description: "Refunds of orders.", Instructions: "# Refund\n\nAsk first.",
		Tools: []string{"get_order", "refund"}, Pos: diag.Pos{File: "SKILL.md", Line: 2, Col: 1}}
	const front = "name: refund\ndescription: |\n  Refunds\n  of orders.\nlicense: MIT\nmetadata: {a: {b: 1}}\n"
	for name, text := range map[string]string{
		"list of tools":    "---\n" + front + "allowed-tools: [get_order, refund]\n---\n\n# Refund\n\nAsk first.\n",
		"tools by blanks":  "---\n" + front + "allowed-tools: get_order refund\n---\n# Refund\n\nAsk first.",
		"tools by commas":  "---\n" + front + "allowed-tools: get_order, refund\n---\n# Refund\n\nAsk first.",
		"CRLF and BOM":     "\ufeff" + strings.ReplaceAll("---\n"+front+"allowed-tools: get_order refund\n---\n# Refund\n\nAsk first.\n", "\n", "\r\n"),
		"blanks behind it": "---  \n" + front + "allowed-tools: get_order refund\n--- \n# Refund\n\nAsk first.\n",
	} {
		got, diags := read(text)
		if got != nil && (got.ToolsPos.File != "SKILL.md" || got.ToolsPos.Line != 8) {
			t.Errorf("%s: the tools are at %v", name, got.ToolsPos)
		}
		if diff := cmp.Diff(plain, got, cmpopts.IgnoreFields(skill.Skill{}, "ToolsPos", "Text")); diff != "" || len(diags) > 0 {
			t.Errorf("%s: %v\n%s", name, diags, diff)
		}
	}
	got, _ := read("---\nname: a\ndescription: b\n---\ntext\n---\nmore")
	if got == nil || got.Instructions != "text\n---\nmore" {
		t.Errorf("a line --- in the instructions: %+v", got)
	}
}

func TestReadProblems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		line       int32
		want       string
	}{
		{"nothing", "", 0, "the file has no front matter"},
		{"no front matter", "# Refund\n", 0, "the file has no front matter"},
		{"front matter without end", "---\nname: a\ndescription: b\n", 3, "the front matter is not closed"},
		{"only a line", "---", 1, "the front matter is not closed"},
		{"a blank line before it", "\n---\nname: a\ndescription: b\n---\ntext", 1, "does not begin in the first line"},
		{"a blank before it", " ---\nname: a\ndescription: b\n---\ntext", 1, "does not begin in the first line"},
		{"CR", "---\rname: a\rdescription: b\r---\rtext", 1, "end in a carriage return alone"},
		{"empty front matter", "---\n---\ntext", 0, "the front matter is empty"},
		{"a list", "---\n- a\n---\ntext", 2, "the front matter of a skill must be a map, found a list"},
		{"no name", "---\ndescription: b\n---\ntext", 2, "a skill has no name"},
		{"no description", "---\nname: a\n---\ntext", 2, "a skill has no description"},
		{"odd name", "---\ndescription: b\nname: Refund_Orders\n---\ntext", 3, `"Refund_Orders" cannot be the name of a skill`},
		{"long name", "---\ndescription: b\nname: " + strings.Repeat("a", 65) + "\n---\ntext", 3, "cannot be the name of a skill"},
		{"blank description", "---\nname: a\ndescription: '  '\n---\ntext", 3, "description is empty"},
		{"long description", "---\nname: a\ndescription: " + strings.Repeat("ä", 1025) + "\n---\ntext",
			3, "description has 1025 characters; the limit is 1024"},
		{"tools of another kind", "---\nname: a\ndescription: b\nallowed-tools: {a: b}\n---\ntext", 4, "allowed-tools must be"},
		{"broken YAML", "---\nname: a\n  description: b\n---\ntext", 3, ""},
		{"not text", "---\nname: \xff\n---\n", 0, "the file is not UTF-8 text"},
		{"too large", "---\nname: a\n---\n" + strings.Repeat("x", skill.MaxFile), 0, "the file has 1024 KiB; the limit is 1024 KiB"},
		{"twice", "---\nname: a\nname: b\ndescription: c\n---\ntext", 3, `key "name" is already set on line 2`},
	} {
		s, diags := read(tc.text)
		if s != nil || len(diags) == 0 {
			t.Errorf("%s: read as %+v with %v", tc.name, s, diags)
			continue
		}
		if d := diags[0]; d.Pos.Line != tc.line || !strings.Contains(d.Msg, tc.want) {
			t.Errorf("%s: line %d, %s\nwant line %d, %s", tc.name, d.Pos.Line, d.Msg, tc.line, tc.want)
		}
	}
	if s, diags := read("---\nname: a\ndescription: b\n---\n \n"); s == nil || len(diags) != 1 {
		t.Errorf("a skill without instructions is a warning: %+v %v", s, diags)
	}
}

// FuzzRead looks for texts on which the reader falls over, or which it drops without a word.
func FuzzRead(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\nallowed-tools: x, y\n---\ntext")
	f.Add("\ufeff---\r\nname: a\r\n---")
	f.Fuzz(func(t *testing.T, text string) {
		s, diags := read(text)
		if s == nil && len(diags) == 0 {
			t.Errorf("%q: no skill, and no word why", text)
		}
		if s != nil && (!skill.IsName(s.Name) || s.Description == "") {
			t.Errorf("%q: %+v", text, s)
		}
	})
}

// TestKeysOfFrontMatter: there is a warning of keys that seem to be meant for arena, and not of other tools' keys.
func TestKeysOfFrontMatter(t *testing.T) {
	t.Parallel()
	problems := map[string]string{
		"allowed_tools: [refund]": "did you mean \"allowed-tools\"?", "allowedTools: pay": "did you mean \"allowed-tools\"?",
		"allowed-tool: refund": "did you mean \"allowed-tools\"?", "tools: [pay]": "list them under allowed-tools",
		"preload: true": "set it in the config, beside the path of the skills", "descripton: c": "did you mean \"description\"?",
		"instructions: do it": "write them below the front matter",
		"license: MIT":        "", "compatibility: any": "", "metadata: {tools: pay}": "", "version: 1": "", "author: Ann": "",
		"model: small": "", "tags: [a]": "", "disable-model-invocation: true": "",
	}
	for line, hint := range problems {
		got, diags := read("---\nname: a\ndescription: b\n" + line + "\n---\ntext")
		switch {
		case got == nil || len(got.Tools) > 0:
			t.Errorf("%s: %+v", line, got)
		case hint == "" && len(diags) > 0:
			t.Errorf("%s: %v", line, diags)
		case hint != "" && (len(diags) != 1 || diags[0].Hint != hint || diags[0].Pos.Line != 4):
			t.Errorf("%s: %+v, want the hint %q", line, diags, hint)
		}
	}
}
