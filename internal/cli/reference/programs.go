package main

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/process"
)

// programs describes the checks that are programs of the user.
func programs(b *strings.Builder) {
	fmt.Fprintf(b, programText, code(process.Inherited()))
}

const programText = `
### Programs of your own

Any program can score: what stands under ` + "`evals`" + ` of a RuntimeConfig, or under ` + "`runtime`" + ` of an arena
config, is a check type of the project, on every surface. It may not have the name of a check of arena.

` + "```yaml" + `
kind: RuntimeConfig
metadata: {name: programs}
spec:
  evals:
    is_polite:
      command: python3           # a name to look up in PATH, or a path against the folder of this file
      args: [./is_polite.py]
      env: [MODE=strict, API_KEY, "REGION=${TEAM_REGION:-eu}"]
      timeout_ms: 5000           # 30 seconds when left out; also: timeoutMs
` + "```" + `

` + "```yaml" + `
assertions:
  - type: is_polite
    params: {language: en, min_score: 0.8}
` + "```" + `

The program runs in the folder of the file. On its stdin it gets one JSON object:

` + "```json" + `
{"type": "is_polite", "params": {"language": "en"}, "content": "the last reply", "context": {
  "messages": [{"role": "user", "content": "..."}], "turn_index": 0,
  "tool_calls": [{"name": "...", "args": {}, "result": "...", "error": "...", "index": 0}],
  "variables": {}, "metadata": {}, "session_id": "id of the trial", "prompt_id": "..."}}
` + "```" + `

` + "`params`" + ` come without thresholds and message.
Where the model wrote no JSON object as arguments, ` + "`args`" + ` is null,
and ` + "`bad_args`" + ` beside it what it wrote.
` + "`metadata`" + ` is that of the scenario, of the recording or of ` + "`Conversation`" + ` in Go,
and what the tools of the turn told beside their results.
On its stdout it prints one JSON object and nothing else, in UTF-8 and at most 10 MB of it:

` + "```json" + `
{"score": 0.85, "detail": "what the report says", "data": {"anything": "for the details"}}
` + "```" + `

The score is a number from 0 to 1, and the thresholds decide. An exit status other than 0, a signal, anything else on
stdout, a missing score or one out of range, and a process that it leaves behind with its stdout open: each is an error
with the cause and the end of stderr, and never a pass. So is an object that says that nothing was judged
(` + "`error`, `status: error`, `skipped: true`" + `) or that its scale is another (` + "`max_score: 10`" + `).
One that says that what it scored is not
accepted (` + "`success: false`, `passed: false`, `verdict: fail`" + `) decides nothing by
that; where its score passes, a warning tells it. When its time is over the program and all that it started are
told to end, and killed half a second later.

What a program started ends with it, and it ends with arena, whatever ends arena: an interrupt, a closed terminal,
` + "`kill -9`" + `. On Linux that holds for what has left the process group too (` + "`setsid`" + `, daemons); on
other Unix systems it does not. Out of reach are processes of other users (setuid programs) and, when arena itself is
killed, those that left the group and wiped their environment, for arena knows its own by the variable
` + "`ARENA_PROGRAM`" + `. Go programs that use arena as a library get the process group and, on Linux, the end of the
program itself with theirs.

Of the environment the program sees what stands under ` + "`env`" + `: ` + "`NAME=value`" + ` sets a variable, a bare
` + "`NAME`" + ` passes one on, ` + "`${NAME}`" + ` in a value stands for the environment. Beside that it sees only what
programs need to run at all: %s.
Keys of providers and other secrets it sees only by name. What came from the environment never shows in a report.
`
