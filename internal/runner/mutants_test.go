package runner

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// mutated is a scenario, a reply that holds for all its checks, and replies that violate exactly one of them.
var mutated = []struct {
	file, good string
	bad        []string
}{
	{
		file: `id: refund
description: A customer asks for money
turns:
  - role: user
    content: "I want my money back"
    mock: Your refund of 20 dollars is on the way, A-1001.
    assertions:
      - type: contains
        params:
          patterns: ["refund", "way"]
      - type: content_excludes
        message: "must promise nothing"
        params:
          patterns:
            - guarantee
            - 'lawsuit'
      - type: regex
        params: {pattern: 'A-\d{4}'}
      - type: max_length
        params:
          max: 60
tags: [smoke]
`,
		good: "Your refund of 20 dollars is on the way, A-1001.",
		bad: []string{
			"Your money of 20 dollars is on the way, A-1001.", "Your refund of 20 dollars is sent, A-1001.",
			"Your refund is on the way, A-1001, we guarantee.", "Your refund is on the way, A-1001, no lawsuit.",
			"Your refund of 20 dollars is on the way.",
			"Your refund of 20 dollars is on the way to your bank account now, A-1001.",
		},
	},
	{
		file: `turns:
- role: user
  content: |
    Hello,
    give me the order.
  mock: '{"id": "A-1", "total": 5}'
  assertions:
  - type: json_schema
    params:
      schema:
        type: object
        required: [id, total]
        properties:
          id: {type: string}
          total:
            type: number
            minimum: 0
            maximum: 100
  - type: not
    params:
      check:
        type: contains
        params: {patterns: [secret]}
conversation_assertions:
- type: content_excludes
  params:
    patterns: [password]
- {type: min_length, params: {min: 20}}
id: order
`,
		good: `{"id": "A-1", "total": 5}`,
		bad: []string{
			`{"id": 1, "total": 5, "more": 1}`, `{"id": "A-1", "more": 50000}`, `{"id": "A-1", "total": -5}`,
			`{"id": "A-1", "total": 500}`, `{"more": "A-1", "total": 5}`, `{"id": "A-1 secret", "total": 5}`,
			`{"id": "A-1 password", "total": 5}`, `{"id":"","total":1}`,
		},
	},
}

// mutants are what slips of the hand make of a file.
func mutants(file string, r *rand.Rand) map[string]string {
	made := map[string]string{}
	lines := strings.SplitAfter(file, "\n")
	put := func(what string, i int, line ...string) {
		made[what+": "+strings.TrimSpace(lines[i])] = strings.Join(slices.Concat(lines[:i], line, lines[i+1:]), "")
	}
	key := regexp.MustCompile(`[a-z_]+:`)
	number := regexp.MustCompile(`\b\d+\b`)
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		for _, at := range key.FindAllStringIndex(line, -1) {
			c := at[0] + r.IntN(at[1]-at[0]-1)
			put("dropped letter "+line[at[0]:at[1]], i, line[:c]+line[c+1:])
			put("doubled letter "+line[at[0]:at[1]], i, line[:c]+line[c:c+1]+line[c:])
			put("= for : "+line[at[0]:at[1]], i, line[:at[1]-1]+"="+line[at[1]:])
			put("no blank behind "+line[at[0]:at[1]], i, line[:at[1]]+strings.TrimPrefix(line[at[1]:], " "))
			if value := strings.TrimSpace(line[at[1]:]); value != "" && !strings.ContainsAny(value, "{}") {
				put("in a list "+line[at[0]:at[1]], i, line[:at[1]]+" ["+value+"]\n")
			}
		}
		put("in", i, "  "+line)
		put("in by one", i, " "+line)
		put("out", i, strings.TrimPrefix(line, "  "))
		for c, sign := range line {
			if sign == '"' || sign == '\'' || strings.ContainsRune("[]{}-,", sign) {
				put("without "+string(sign)+" at "+line[:c], i, line[:c]+line[c+1:])
			}
		}
		for _, at := range number.FindAllStringIndex(line, -1) {
			put("negative "+line[at[0]:at[1]], i, line[:at[0]]+"-"+line[at[0]:])
			put("text "+line[at[0]:at[1]], i, line[:at[0]]+"'"+line[at[0]:at[1]]+"'"+line[at[1]:])
			put("a word "+line[at[0]:at[1]], i, line[:at[0]]+"x"+line[at[1]:])
		}
		if i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "" {
			put("swapped with the next", i, lines[i+1]+line)
			other := slices.Clone(lines)
			other[i], other[i+1] = lines[i+1], lines[i]
			made["swapped: "+line+"/"+lines[i+1]] = strings.Join(other, "")
		}
		for deeper := i + 1; deeper < len(lines) && indent(lines[deeper]) > indent(line); deeper++ {
			other := slices.Clone(lines)
			for j := i + 1; j <= deeper; j++ {
				other[j] = strings.TrimPrefix(other[j], "  ")
			}
			made["block out below "+line+" to "+lines[deeper]] = strings.Join(other, "")
			for j := i + 1; j <= deeper; j++ {
				other[j] = "  " + lines[j]
			}
			made["block in below "+line+" to "+lines[deeper]] = strings.Join(other, "")
		}
	}
	return made
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// A slip of the hand in a scenario is told, or the scenario fails for whatever it failed for before.
func TestMutantsFailOrAreTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tried, silent := 0, 0
	for i, m := range mutated {
		got := failures(t, dir, m.file, append(slices.Clone(m.bad), m.good))
		for j, n := range got {
			if j < len(m.bad) && n != 1 || j == len(m.bad) && n != 0 {
				t.Fatalf("%d: %d checks fail for reply %d", i, n, j)
			}
		}
		if got == nil {
			t.Fatalf("%d: something is told of the file as it is", i)
		}
		made := mutants(m.file, rand.New(rand.NewPCG(1, uint64(i))))
		for _, what := range slices.Sorted(maps.Keys(made)) {
			file := made[what]
			tried++
			for j, n := range failures(t, dir, file, m.bad) {
				silent++
				if n == 0 {
					t.Errorf("%d: %s: %q passes", i, what, m.bad[j])
				}
			}
		}
	}
	if tried < 500 || silent < 500 {
		t.Errorf("only %d were tried, and %d replies judged", tried, silent)
	}
}

// failures counts the checks of a scenario that do not pass for each reply; nil: something is told of the file.
func failures(t *testing.T, dir, file string, replies []string) []int {
	t.Helper()
	path := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	suite, problems := checks.Load(scenario.Options{Paths: []string{path}})
	if len(problems.Sorted()) > 0 || len(suite.Projects) != 1 {
		return nil
	}
	failed := make([]int, len(replies))
	for j, reply := range replies {
		for _, s := range suite.Projects[0].Scenarios {
			failed[j] += failuresOf(t, s, reply)
		}
	}
	return failed
}

func failuresOf(t *testing.T, s *scenario.Scenario, reply string) (failed int) {
	t.Helper()
	var messages []chat.Message
	judge := func(list []scenario.Placed, subject *checks.Subject) {
		for i := range list {
			compiled := list[i].Compiled
			if open, ok := compiled.(*scenario.OpenCheck); ok {
				compiled = open.Bound()[0] // the only scenario
			}
			if v := compiled.(*checks.Compiled).Judge(t.Context(), subject); v.Status != result.Passed && v.Status != result.Skipped {
				failed++
			}
		}
	}
	for i := range s.Turns {
		start := len(messages)
		messages = append(messages, chat.Message{Role: chat.User, Content: s.Turns[i].Content},
			chat.Message{Role: chat.Assistant, Content: reply})
		judge(s.Turns[i].Assertions, &checks.Subject{Messages: messages, Start: start, Turn: i})
	}
	judge(s.Conversation, &checks.Subject{Messages: messages, Session: true, Turn: -1})
	return failed
}
