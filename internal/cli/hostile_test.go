package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/cli"
	"github.com/arena-evals/arena/internal/report/show"
)

// poison is what a terminal and a CI system must never see as it stands, and FORGED in a colour of arena's.
const poison = "\u2003::stop-commands::x \x1b[2J\x1b]52;c;eA==\x07\x1b[32mFORGED\x1b[0m\r\u009b1m\u202e\u2066\u2028\u2029" +
	"\u0085\x7f\x01\ufeff ##[error] ##vso[a]\n\u3000::error::pwned"

// quoted is a text in double quotes, for YAML as for JSON, of printable ASCII only.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String() + `"`
}

// poisonTag is as much of it as a tag can be: text without commas, line ends and blanks around it.
var poisonTag = "x" + strings.NewReplacer("\r", "", "\n", "", "\t", "", ",", "").Replace(poison) + "x"

// hostile is a project every text of which comes from an enemy. P stands for the poison in quotes.
var hostile = map[string]string{
	"config.arena.yaml": `
kind: Arena
metadata: {name: P}
spec:
  prompt_configs: [{file: prompt.yaml}]
  tools: [{file: tool.yaml}]
  scenarios: [{file: 'NAME.yaml'}, {file: more.yaml}]
  provider_specs:
    P: {type: mock, model: P}
    grader: {type: mock, model: P, additional_config: {mock_config: mocks.yaml}}
  judges: [{name: P, provider: grader}]
  defaults: {}
`,
	"prompt.yaml": "task_type: P\ndescription: P\nsystem_template: P\nallowed_tools: [get_order]\n",
	"tool.yaml":   "name: get_order\ndescription: P\ninput_schema: {type: object}\nmode: mock\nmock_result: {a: P}\n",
	"NAME.yaml": `
id: P
description: P
tags: [TAG]
task_type: P
turns:
  - role: user
    content: P
    mock: [{tool_calls: [{name: get_order, args: {P: P}}]}, P]
    assertions:
      - {type: contains, message: P, params: {patterns: [FORGED, missing]}}
      - {type: regex, message: P, params: {pattern: nothing}}
      - {type: llm_judge, message: P, params: {criteria: P, min_score: 0.9}}
`,
	"more.yaml": `
id: plain
description: P
turns: [{role: user, content: P, mock: [P], assertions: [{type: contains, params: {patterns: [FORGED]}}]}]
`,
	"mocks.yaml": "judges: {P: JUDGED}\ndefaultResponse: P\n",
	"other.yaml": "judges: {P: JUDGED}\ndefaultResponse: P\nscenarios: {plain: {turns: {1: nothing}}}\n",
	"broken.yaml": "id: P\nP: P\nturns: [{role: user, content: P, assertions: [{type: P, params: {P: P}}, " +
		"{type: contains, params: {P: 1, patterns: {P: P}}}]}]\n# \xe2\x80\xae ::error::FORGED\n",
	"half.yaml":    "id: [P\n \xff",
	"raw.json":     "{\"id\": \"\xe2\x80\xae\xff\x1b[32mFORGED\", ",
	"talk.json":    `{"id": P, "messages": [{"role": "user", "content": P}, {"role": "assistant", "content": P}]}`,
	"assert.yaml":  "assertions: [{type: contains, message: P, params: {patterns: [missing]}}]\n",
	"labels.jsonl": `{"id": P, "text": P, "label": "pass", "critique": P}` + "\n",
	"vectors.json": `{"type": "contains", "scope": "turn", "vectors": [{"name": P, "params": {"patterns": [P]},
		"context": {"output": "x"}, "expect": {"score": 1, "passed": true}}]}`,
	"pack.json": `{"id": P, "prompts": {P: {"system_template": P}}, "evals": [{"id": P, "type": P, "trigger": P}]}`,
}

// fileName is how a file of the enemy is called.
const fileName = "\x1b[2J\u202e\xff ::error::\n##[x]FORGED"

func hostileProject(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range hostile {
		name, text = strings.Replace(name, "NAME", fileName, 1), strings.ReplaceAll(text, "P:", quoted(poison)+":")
		text = strings.ReplaceAll(text, "TAG", quoted(poisonTag))
		text = regexp.MustCompile(`\bP\b`).ReplaceAllLiteralString(text, quoted(poison))
		text = strings.ReplaceAll(text, "JUDGED", quoted(`{"score": 0.1, "reasoning": `+quoted(poison)+`}`))
		text = strings.ReplaceAll(text, "NAME", "*FORGED") // a glob, as YAML holds no invalid UTF-8
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Skip(err) // a file system that has no such names
		}
	}
	return dir
}

// showing is a command over the project. In its arguments DIR is the project's folder.
type showing struct {
	args  string // by spaces; POISON is the poison, NAME the file
	env   string
	quiet bool // nothing of the enemy's is shown
	data  bool // its stdout is JSON, or a line of it each
	in    string
}

var showings = []showing{
	{args: "run DIR -o DIR/out -j 1"},
	{args: "run --no-such-flag=POISON", quiet: true}, {args: "run --jobs=POISON"},
	{args: "run DIR -o DIR/out2 -v -j 1", env: "GITHUB_ACTIONS=true"},
	{args: "run DIR -o DIR/out3 -vv -j 1 --trials 2 --fail-fast"},
	{args: "run DIR -o DIR/out4 --ci -j 1 --cache DIR/cache --record DIR/tapes"},
	{args: "run DIR --list"},
	{args: "run DIR -o DIR/out5 --events - -q", data: true},
	{args: "run DIR --scenario POISON --provider POISON --tag POISON --judge POISON"},
	{args: "run DIR/POISON"},
	{args: "run DIR/broken.yaml DIR/half.yaml DIR/raw.json DIR/NAME.yaml"},
	{args: "eval DIR/talk.json --assert DIR/assert.yaml -o DIR/evaluated -vv"},
	{args: "eval DIR/raw.json --assert DIR/broken.yaml"},
	{args: "validate DIR/broken.yaml DIR/half.yaml DIR/raw.json DIR/NAME.yaml --color always"},
	{args: "validate DIR/broken.yaml --json", data: true},
	{args: "validate DIR", quiet: true},
	{args: "doctor DIR -c DIR/config.arena.yaml", quiet: true}, {args: "doctor -c DIR/config.arena.yaml --lenient"},
	{args: "doctor DIR/broken.yaml"}, {args: "doctor -c DIR/config.arena.yaml --lenient --json", data: true},
	{args: "list scenarios DIR"}, {args: "list scenarios DIR --json", data: true},
	{args: "list providers DIR"}, {args: "list judges DIR"}, {args: "list tools DIR"}, {args: "list prompts DIR"},
	{args: "list tools DIR --online"}, {args: "list tools DIR --online --json", data: true},
	{args: "chat DIR/NAME.yaml --mock-config DIR/mocks.yaml", in: "POISON\n/tools\n/system\n/state\n/save DIR/chat.yaml\n/undo\n/POISON\n"},
	{args: "chat POISON -c DIR/config.arena.yaml"},
	{args: "prompt DIR"}, {args: "prompt DIR --json", data: true}, {args: "prompt POISON DIR"}, {args: "prompt plain DIR --turn 7", quiet: true},
	{args: "prompt plain DIR --provider openai/POISON --wire"}, {args: "prompt DIR --wire"},
	{args: "tools call get_order -c DIR/config.arena.yaml"}, {args: "tools call POISON -c DIR/config.arena.yaml"},
	{args: "tools call get_order {} -c DIR/config.arena.yaml --json", data: true},
	{args: "tools call get_order POISON -c DIR/config.arena.yaml", quiet: true}, {args: "tools call get_order @POISON"},
	{args: "list POISON"}, {args: "list checks", quiet: true}, {args: "list scenarios DIR/broken.yaml"},
	{args: "checks", quiet: true}, {args: "checks contains", quiet: true}, {args: "checks POISON"},
	{args: "checks contains --json", quiet: true, data: true},
	{args: `checks try regex --params {"pattern":"POISON[","x":1} --output POISON`},
	{args: `checks try contains --params {"patterns":["POISON"]} --output x`},
	{args: `checks try contains --json --params {"patterns":["q"]} --output POISON`, data: true, quiet: true},
	{args: "checks verify DIR/vectors.json"}, {args: "checks verify DIR/raw.json DIR/POISON"},
	{args: "report DIR/out -o DIR/NAME"}, {args: "report DIR/raw.json", quiet: true}, {args: "report DIR/POISON --format POISON"},
	{args: "run DIR -o DIR/out7 -j 1 --mock-config DIR/other.yaml --lenient"}, {args: "run DIR --estimate"},
	{args: "run DIR --shard 1/1 -o DIR/shard -j 1"}, {args: "run DIR --shard POISON"}, {args: "merge DIR/shard -o DIR/merged"},
	{args: "merge DIR/out DIR/shard DIR/POISON -o DIR/merged2"}, {args: "merge DIR/raw.json -o DIR/merged2", quiet: true},
	{args: "gate DIR"}, {args: "gate DIR --pass-rate 0.8"}, {args: "gate DIR --pass-rate 0.8 --json", data: true},
	{args: "analyze DIR/out"}, {args: "analyze DIR/out DIR/out7 -v"}, {args: "analyze DIR/out --format json", data: true},
	{args: "compare DIR/out DIR/out7"}, {args: "compare DIR/out7 DIR/out --format markdown"},
	{args: "compare DIR/out DIR/out7 --format json", data: true}, {args: "compare DIR/out DIR/POISON"},
	{args: "compare DIR/out DIR/out7 --fail-on POISON"}, {args: "bless DIR/out --baseline DIR/b.json", quiet: true},
	{args: "run DIR -o DIR/out8 -j 1 --baseline DIR/b.json"}, {args: "run DIR -o DIR/out8 --baseline DIR/POISON"}, {args: "docs", quiet: true}, {args: "docs POISON"},
	{args: "rejudge DIR/out DIR -o DIR/rejudged -v"}, {args: "rejudge DIR/raw.json", quiet: true},
	{args: "generate DIR/out --out DIR/NAME.made"}, {args: "generate DIR/out --dry-run --out DIR/POISON"},
	{args: "generate DIR/raw.json"}, {args: "capture -o DIR/captured --name POISON -- echo POISON x"},
	{args: "capture -o DIR/captured -- DIR/POISON x"}, {args: "generate DIR/captured --out DIR/NAME.again"},
	{args: "mocks generate -i DIR/out -o DIR/NAME.mocks.yaml"}, {args: "mocks generate -i DIR/out --dry-run -o DIR/x.yaml"},
	{args: "mocks generate -i DIR/POISON -o DIR/x.yaml"},
	{args: "judge calibrate DIR/labels.jsonl -c DIR/config.arena.yaml --criteria POISON -v"},
	{args: "judge calibrate DIR/labels.jsonl -c DIR/config.arena.yaml --criteria POISON --json", data: true},
	{args: "judge calibrate DIR/raw.json -c DIR/config.arena.yaml --criteria POISON"},
	{args: "cache stats DIR/cache", quiet: true}, {args: "cache clear DIR/cache", quiet: true}, {args: "cache stats DIR/POISON"},
	{args: "worker --nats nats://POISON:1 --pack DIR/pack.json", quiet: true}, {args: "worker --nats nats://127.0.0.1:1 --pack DIR/pack.json"},
	{args: "worker dead list --nats nats://POISON:1", quiet: true}, {args: "worker dead list --nats nats://h --why POISON"},
	{args: "worker dead redrive --all --nats nats://h --nats-ca POISON"}, {args: "worker dead drop --nats nats://POISON x", quiet: true},
	{args: "init DIR/NAME.new"}, {args: "init DIR/NAME.new"},
	{args: "schema", quiet: true}, {args: "schema scenario", quiet: true, data: true}, {args: "schema POISON"},
	{args: "version", quiet: true}, {args: "version POISON"}, {args: "POISON"}, {args: "help POISON"}, {args: "--POISON", quiet: true},
	{args: "completion bash", quiet: true}, {args: "completion zsh", quiet: true}, {args: "completion fish", quiet: true},
	{args: "completion powershell", quiet: true}, {args: "completion POISON"}, {args: "__complete list POISON", quiet: true},
	{args: "__complete run DIR/", quiet: true},
	{args: "run DIR", env: "ARENA_JOBS=POISON"}, {args: "run DIR -o DIR/out6 -q", env: "OTEL_EXPORTER_OTLP_ENDPOINT=POISON"},
}

// ours are the sequences that arena itself may write to a terminal.
var ours = regexp.MustCompile(`\r\x1b\[\d+A\x1b\[J|\r\x1b\[2K|\x1b\[[\d;]*m`)

// forged is the enemy's text in a colour that the enemy chose.
var forged = regexp.MustCompile(`\x1b\[32mFORGED`)

// annotation is the only command that arena itself gives to a CI system.
var annotation = regexp.MustCompile(`^::(error|warning|notice) (file=[^:,]+,)?(line=[0-9]+,)?title=[^:,]+::`)

// TestNoByteOfAnEnemy runs every command over a hostile project, before a person at a terminal and into a pipe.
func TestNoByteOfAnEnemy(t *testing.T) {
	t.Parallel()
	for _, tty := range []bool{false, true} {
		t.Run(map[bool]string{false: "pipe", true: "terminal"}[tty], func(t *testing.T) {
			t.Parallel()
			dir := hostileProject(t)
			for _, s := range showings {
				out, errs := s.run(t, dir, tty)
				for name, text := range map[string]string{"stdout": out, "stderr": errs} {
					if problem := harmful(text, tty || strings.Contains(s.args, "--color"), s.env == "GITHUB_ACTIONS=true"); problem != "" {
						t.Errorf("arena %s, %s: %s", s.args, name, problem)
					}
				}
				if !s.quiet && !strings.Contains(out+errs, "FORGED") {
					t.Errorf("arena %s shows nothing of the enemy's:\n%.2000s%.2000s", s.args, out, errs)
				}
				if s.data {
					validJSON(t, s.args, out)
				}
			}
		})
	}
}

func (s showing) run(t *testing.T, dir string, tty bool) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	env := map[string]string{}
	if tty {
		env["FORCE_COLOR"] = "1"
	}
	fill := strings.NewReplacer("DIR", dir, "POISON", poison, "NAME", fileName)
	if name, value, ok := strings.Cut(s.env, "="); ok {
		env[name] = fill.Replace(value)
	}
	var args []string
	for a := range strings.FieldsSeq(s.args) {
		args = append(args, fill.Replace(a))
	}
	_ = cli.Main(&cli.App{ // whatever the status is
		In: strings.NewReader(fill.Replace(s.in)), InTTY: tty, Args: args, Out: &o, Err: &e, Env: env, OutTTY: tty, ErrTTY: tty,
		Now: func() time.Time { return time.Unix(0, 0) }, Width: func() int { return 80 },
		Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
		Exit:       func(code int) { t.Errorf("arena %s ended with %d", s.args, code) },
	})
	return o.String(), e.String()
}

// harmful says what is wrong with an output; "" when nothing is.
func harmful(text string, colors, workflow bool) string {
	at := func(what string, i int) string {
		return fmt.Sprintf("%s in %q", what, text[max(0, i-60):min(len(text), i+30)])
	}
	if loc := forged.FindStringIndex(text); loc != nil {
		return at("a forged colour", loc[0])
	}
	if i := strings.Index(text, "x FORGED"); i >= 0 {
		return at("sequences that vanished without a trace", i)
	}
	if colors {
		text = ours.ReplaceAllString(text, "")
	}
	if i := strings.IndexFunc(text, show.IsForbidden); i >= 0 {
		return at("a forbidden character", i)
	}
	if !utf8.ValidString(text) {
		return "invalid UTF-8"
	}
	for line := range strings.SplitSeq(text, "\n") {
		if workflow && annotation.MatchString(line) {
			continue
		}
		if strings.HasPrefix(strings.TrimLeftFunc(line, show.IsTrimmed), "::") {
			return fmt.Sprintf("a command: %q", line)
		}
		if line != show.BreakMarkers(line) {
			return fmt.Sprintf("a mark: %q", line)
		}
	}
	return ""
}

func validJSON(t *testing.T, args, text string) {
	t.Helper()
	if json.Valid([]byte(text)) {
		return
	}
	lines := 0
	for line := range strings.Lines(text) {
		if lines++; !json.Valid([]byte(line)) {
			t.Errorf("arena %s: not JSON: %q", args, line)
		}
	}
	if lines == 0 {
		t.Errorf("arena %s: nothing on stdout", args)
	}
}

// TestEveryCommandIsShown: a new command needs a line in the table.
func TestEveryCommandIsShown(t *testing.T) {
	t.Parallel()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		path := strings.TrimPrefix(c.CommandPath(), "arena ")
		known := slices.ContainsFunc(showings, func(s showing) bool { return strings.HasPrefix(s.args+" ", path+" ") })
		if c.HasParent() && !c.HasSubCommands() && !known {
			t.Errorf("arena %s is not run over the hostile project", path)
		}
	}
	walk(cli.Commands(&cli.App{}))
}

// TestCompletionsAreWhole: what a shell reads is what was made for it, to the last byte.
func TestCompletionsAreWhole(t *testing.T) {
	t.Parallel()
	for shell, write := range map[string]func(*cobra.Command, *bytes.Buffer) error{
		"bash":       func(c *cobra.Command, b *bytes.Buffer) error { return c.GenBashCompletionV2(b, true) },
		"zsh":        func(c *cobra.Command, b *bytes.Buffer) error { return c.GenZshCompletion(b) },
		"fish":       func(c *cobra.Command, b *bytes.Buffer) error { return c.GenFishCompletion(b, true) },
		"powershell": func(c *cobra.Command, b *bytes.Buffer) error { return c.GenPowerShellCompletionWithDesc(b) },
	} {
		var want bytes.Buffer
		if err := write(cli.Commands(&cli.App{}), &want); err != nil {
			t.Fatal(err)
		}
		got, _ := showing{args: "completion " + shell}.run(t, "", false)
		if got != want.String() {
			t.Errorf("the script of %s is changed", shell)
		}
	}
}
