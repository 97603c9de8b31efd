package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/cli"
	"github.com/arena-evals/arena/internal/hang"
)

// tortured is a project whose agents are programs, started for each reply and for each trial. Those that hang have a
// provider with a short time limit.
const tortured = `kind: Arena
metadata: {name: tortured}
spec:
  prompt_configs: []
  providers: [{file: once.yaml}, {file: lines.yaml}, {file: hasty.yaml}]
  scenarios: [{file: talk.yaml}, {file: hanging.yaml}]
-- once.yaml --
id: once
type: command
additional_config: {command: [./agent.sh, once]}
-- lines.yaml --
id: lines
type: command
additional_config: {command: [./agent.sh, lines], protocol: lines}
-- hasty.yaml --
id: hasty
type: command
request_timeout: 300ms # is meant to pass
additional_config: {command: [./agent.sh, once]}
-- talk.yaml --
id: talk
providers: [once, lines]
dataset: talk.jsonl
turns: [{role: user, content: "{{how}}", assertions: [{type: contains, params: {patterns: [done]}}]}]
-- hanging.yaml --
id: hanging
providers: [hasty]
dataset: hanging.jsonl
turns: [{role: user, content: "{{how}}", assertions: [{type: contains, params: {patterns: [done]}}]}]
`

// torturedAgent does as its message says. It tells its trial by a pipe, which all that it starts hold open.
const torturedAgent = `#!/bin/sh
exec 3>alive
echo "$ARENA_TRIAL_ID" >&3
say() { echo "$1"; }
how=$2
if [ "$1" = lines ]; then
	say() { echo '{"type":"reply","text":"'"$1"'"}'; }
	read -r line
	how=${line#*'"text":"'} how=${how%%'"'*}
fi
case $how in
wrong) say 'I cannot' ;;
dies) kill -9 $$ ;;
fails) echo no database >&2; exit 3 ;;
floods) exec head -c 1000000000 /dev/zero ;;
babbles) head -c 50000000 /dev/zero >&2; say 'done' ;;
leaves) sleep 3600 & say 'done'; exit ;;
escapes) (setsid sh -c 'trap "" TERM HUP INT; sleep 3600; :' >/dev/null 2>&1 </dev/null &) ; say 'done' ;;
hangs) sleep 3600 ;;
clings) trap '' TERM INT HUP; (setsid sh -c 'trap "" TERM; sleep 3600; :' &); while :; do sleep 3600; done ;;
*) say 'done' ;;
esac
[ "$1" = once ] || read -r line
:
`

// misdeeds are what programs do beside answering, with what becomes of their trials: a status, and what it is told by.
// The last leaves the group.
var misdeeds = []struct{ how, status, once, lines string }{
	{"wrong", "failed", "0 of 1 pattern found", "0 of 1 pattern found"},
	{"dies", "error", "signal: killed", "signal: killed"},
	{"fails", "error", "exit status 3", "exit status 3"},
	{"floods", "error", "it wrote more than 10 MB", "it wrote a line of more than 1 MB"},
	{"babbles", "passed", "", ""},
	{"leaves", "error", "it ended and left a process behind", "it ended and left a process behind"},
	{"escapes", "passed", "", ""},
}

// torturedProject has so many rows for each program, of which each twentieth misbehaves, and so many that hang. It
// returns what must become of each trial. What leaves the group of its program can be told not to come.
func torturedProject(t *testing.T, rows int, escapes bool) (dir string, want map[string][2]string) {
	t.Helper()
	dir, want = t.TempDir(), map[string][2]string{}
	writeProject(t, dir, tortured)
	misdeeds, hangs := misdeeds, []string{"hangs", "clings"}
	if !escapes {
		misdeeds, hangs = misdeeds[:len(misdeeds)-1], hangs[:1]
	}
	var talk, hanging strings.Builder
	for n := range rows {
		how := "answers"
		if every := max(3, min(20, rows/len(misdeeds)/2)); n%every == 1 {
			m := misdeeds[n/every%len(misdeeds)]
			how = m.how
			want[fmt.Sprintf("talk/once/default[%d]", n)] = [2]string{m.status, m.once}
			want[fmt.Sprintf("talk/lines/default[%d]", n)] = [2]string{m.status, m.lines}
		} else {
			want[fmt.Sprintf("talk/once/default[%d]", n)] = [2]string{"passed", ""}
			want[fmt.Sprintf("talk/lines/default[%d]", n)] = [2]string{"passed", ""}
		}
		fmt.Fprintf(&talk, `{"id": "%d", "how": %q}`+"\n", n, how)
	}
	for n := range max(2, rows/20) {
		fmt.Fprintf(&hanging, `{"id": "%d", "how": %q}`+"\n", n, hangs[n%len(hangs)])
		want[fmt.Sprintf("hanging/hasty/default[%d]", n)] = [2]string{"error", "no reply within 300ms"}
	}
	err := errors.Join(os.WriteFile(filepath.Join(dir, "talk.jsonl"), []byte(talk.String()), 0o600),
		os.WriteFile(filepath.Join(dir, "hanging.jsonl"), []byte(hanging.String()), 0o600),
		os.WriteFile(filepath.Join(dir, "agent.sh"), []byte(torturedAgent), 0o700), //nolint:gosec // it is a program
		syscall.Mkfifo(filepath.Join(dir, "alive"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return dir, want
}

// verdictsOf are the trials of a run by id: their status, and the line that says why.
func verdictsOf(t *testing.T, dir string, want map[string][2]string) map[string][2]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var results struct{ Runs []json.RawMessage }
	if err := json.Unmarshal(data, &results); err != nil {
		t.Fatal(err)
	}
	got := map[string][2]string{}
	for _, raw := range results.Runs {
		var trial struct{ ID, Status string }
		if err := json.Unmarshal(raw, &trial); err != nil {
			t.Fatal(err)
		}
		said := string(raw)
		if w := want[trial.ID]; trial.Status == w[0] && strings.Contains(said, w[1]) { // else all of it is told
			said = w[1]
		}
		got[trial.ID] = [2]string{trial.Status, said}
	}
	return got
}

// onceEach reports trials whose programs were started twice or never. One that hangs may be ended before it says so.
func onceEach(t *testing.T, started []string, want map[string][2]string) {
	t.Helper()
	slices.Sort(started)
	if once := slices.Compact(slices.Clone(started)); len(once) != len(started) {
		t.Errorf("a trial had more than one program: %d programs, %d trials", len(started), len(once))
	}
	for id := range want {
		if _, found := slices.BinarySearch(started, id); !found && !strings.HasPrefix(id, "hanging/") {
			t.Errorf("the program of %s was not started", id)
		}
	}
}

// pulse is the pipe that programs hold open as long as anything of them lives.
type pulse struct {
	read, write *os.File // both ends are kept open, for nobody holds it between two programs
	ids         chan string
}

func feel(t *testing.T, dir string) *pulse {
	t.Helper()
	path := filepath.Join(dir, "alive")
	read, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	write, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &pulse{read, write, make(chan string, 1<<16)}
	go func() {
		defer close(p.ids)
		for lines := bufio.NewScanner(read); lines.Scan(); {
			p.ids <- lines.Text()
		}
	}()
	t.Cleanup(func() { _ = errors.Join(read.Close(), write.Close()) }) // each is closed twice where all goes well
	return p
}

// stops waits until nothing lives that holds the pipe, and returns the trials whose programs were started since it was
// asked last.
func (p *pulse) stops(t *testing.T) (ids []string) {
	t.Helper()
	if err := p.write.Close(); err != nil {
		t.Fatal(err)
	}
	stuck := time.After(hang.Guard)
	for {
		select {
		case id, more := <-p.ids:
			if !more {
				return ids
			}
			ids = append(ids, id)
		case <-stuck:
			t.Fatal("programs were left behind")
		}
	}
}

// after waits until so many programs were started. The error is that of a run that ended before.
func (p *pulse) after(programs int, ended <-chan error) (ids []string, err error) {
	for len(ids) < programs {
		select {
		case id := <-p.ids:
			ids = append(ids, id)
		case err := <-ended:
			if err == nil {
				err = errors.New("it ended well")
			}
			return ids, err
		}
	}
	return ids, nil
}

const programJobs = 32

func programRun(t *testing.T, dir, out string, jobs int, more ...string) *exec.Cmd {
	t.Helper()
	args := append([]string{"run", "-q", "--format", "json", "-j", strconv.Itoa(jobs), "-o", out}, more...)
	cmd := exec.CommandContext(t.Context(), "arena", args...) // TestMain has put it into PATH
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// TestTortureOfPrograms: programs that hang, crash, flood, leave processes behind and escape their group get the right
// verdict each, and nothing of them is left after the run; nor after an interrupt or a kill of arena, whose journal is
// whole then: it goes on with no trial again that had finished.
func TestTortureOfPrograms(t *testing.T) {
	t.Parallel()
	kills, rows, jobs := 3, 21, 6
	if n, err := strconv.Atoi(os.Getenv(tortureKills)); err == nil {
		kills, rows, jobs = n, 200, programJobs
	}
	dir, want := torturedProject(t, rows, true)
	heart := feel(t, dir)
	began := time.Now()
	text, err := programRun(t, dir, "whole", jobs).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		t.Fatalf("%v\n%s", err, text)
	}
	ended := time.Now()
	started := heart.stops(t)
	t.Logf("%d trials in %s, the last process gone %s later", len(want), ended.Sub(began), time.Since(ended))
	onceEach(t, started, want)
	if diff := cmp.Diff(want, verdictsOf(t, filepath.Join(dir, "whole"), want)); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	kept, wasted := 0, 0
	random := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // the same moments in every run
	for kill := range kills {
		out := fmt.Sprintf("out%d", kill)
		how := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM}[kill%3]
		var paid []string
		stops := 1 + random.IntN(3)
		for range stops {
			done := finished(t, filepath.Join(dir, out))
			var more []string
			if paid != nil {
				more = []string{"--resume"}
			}
			again := stopAt(t, dir, programRun(t, dir, out, jobs, more...), random.IntN(max(1, len(want)-len(done)-1)), how)
			notTwice(t, how, done, again)
			paid = append(paid, again...)
		}
		done := finished(t, filepath.Join(dir, out))
		heart := feel(t, dir)
		text, err := programRun(t, dir, out, jobs, "--resume").CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
			t.Fatalf("%s: %v\n%s", how, err, text)
		}
		last := heart.stops(t)
		notTwice(t, how, done, last)
		twice := len(paid) + len(last) - len(want)
		if twice > stops*jobs {
			t.Errorf("%s: %d programs were started once more, after %d stops of %d jobs", how, twice, stops, jobs)
		}
		kept, wasted = kept+len(done), wasted+twice
		if diff := cmp.Diff(want, verdictsOf(t, filepath.Join(dir, out), want)); diff != "" {
			t.Fatalf("%s: -want +got:\n%s", how, diff)
		}
		if err := os.RemoveAll(filepath.Join(dir, out)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d trials stood when the last resume began, %d programs were started once more", kept, wasted)
	if kept == 0 {
		t.Error("no trial had finished before an interrupt, so nothing was tested")
	}
}

// stopAt starts a run and ends it when so many programs were started. Nothing is left of them then. It returns their
// trials. A run that had come to its end before says so by its exit status.
func stopAt(t *testing.T, dir string, run *exec.Cmd, programs int, how syscall.Signal) (ids []string) {
	t.Helper()
	heart := feel(t, dir)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	ids, err := heart.after(programs+1, ended)
	told := time.Now()
	if err == nil {
		// As a terminal does it, Ctrl-C reaches the whole group; programs have one of their own.
		if err := syscall.Kill(-run.Process.Pid, how); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
		err = <-ended
	}
	gone := time.Now()
	ids = append(ids, heart.stops(t)...)
	exit, ok := errors.AsType[*exec.ExitError](err)
	stopped := map[syscall.Signal]int{syscall.SIGKILL: -1, syscall.SIGINT: 130, syscall.SIGTERM: 130}[how]
	if !ok || exit.ExitCode() != 1 && exit.ExitCode() != stopped {
		t.Errorf("%s: %v", how, err)
	}
	t.Logf("%s after %d programs: arena gone %s later, the last process %s later", how, len(ids), gone.Sub(told),
		time.Since(told))
	return ids
}

// TestSoakOfPrograms: agents that hang, crash, flood and leave processes behind leave no goroutine, no open file and no
// process within arena. It runs alone, for it counts those of the whole process. Only the process of arena itself ends
// those that leave their group, which is for TestTortureOfPrograms.
func TestSoakOfPrograms(t *testing.T) {
	rows := 21
	if n, err := strconv.Atoi(os.Getenv("ARENA_SOAK")); err == nil {
		rows = n
	}
	dir, want := torturedProject(t, rows, false)
	t.Chdir(dir)
	heart := feel(t, dir)
	run := func(exit int, more ...string) {
		var text bytes.Buffer
		code := cli.Main(&cli.App{
			Args: append([]string{"run", "-j", strconv.Itoa(programJobs), "--format", "json", "-q"}, more...),
			Out:  &text, Err: io.Discard,
			Env: map[string]string{"PATH": os.Getenv("PATH")}, Now: time.Now, Width: func() int { return 120 },
			Exit: func(int) {}, Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
		})
		if code != exit {
			t.Fatalf("exit status %d: %s", code, text.String())
		}
	}
	run(0, "--scenario", "talk", "--rows", "0") // what is kept from the first run on is there
	before := held(t)
	run(1)
	if diff := cmp.Diff(want, verdictsOf(t, "out", want)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	stuck := time.After(hang.Guard)
	for after := held(t); after.exceeds(before); after = held(t) {
		select {
		case <-stuck:
			t.Fatalf("%+v are there, %+v were", after, before)
		default:
		}
		runtime.Gosched() // what has been told to end does so
	}
	heart.stops(t)
}
