package scenario

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// ExecTool is a program that runs the calls of a tool.
type ExecTool struct {
	Command    string // against Dir, or a name to look up in PATH
	CommandPos diag.Pos
	Args       []string
	Env        []string // NAME=value, in which ${NAME} is replaced by an environment variable; or a NAME to pass on
	EnvPos     diag.Pos
	Timeout    time.Duration // of a call
	Dir        string        `digest:"-"` // where the program runs
	Server     bool          // it keeps running and answers one call after the other
	Session    bool          // each trial has a server of its own
}

const defaultToolTimeout = 30 * time.Second

// execFile is a program as written in a file.
type execFile struct {
	*ExecTool
	scope, sandbox *node.Node
	odd            bool // runtime or scope is invalid
}

// execFields are the settings of tools with mode exec.
var execFields = table("exec", func() rows[execFile] {
	return rows[execFile]{
		custom("command", text, func(d *decoder, e *execFile, v *node.Node) {
			e.Command, _ = d.Name(v, "command")
			e.CommandPos = d.Pos(v)
		}).must().doc("The program: a name to look up in PATH, or a path from the folder of the config."),
		strs("args", func(e *execFile) *[]string { return &e.Args }).asIs().doc("Its arguments."),
		custom("env", texts, func(d *decoder, e *execFile, v *node.Node) {
			e.Env, e.EnvPos = d.programEnv(v), d.Pos(v)
		}).asIs().doc("Variables that it sees: NAME=value, or a NAME to pass on; ${NAME} stands for the environment."),
		custom("timeout_ms", counting, func(d *decoder, e *execFile, v *node.Node) {
			if ms, ok := d.Int(v, "timeout_ms", 1, int(counting.High)); ok {
				e.Timeout = time.Duration(ms) * time.Millisecond
			}
		}).preset("30000").doc("How long a call may take, in milliseconds. Left out: timeout_ms of the tool."),
		custom("runtime", words("exec", "server"), func(d *decoder, e *execFile, v *node.Node) {
			word, ok := d.OneOf(v, "runtime", "exec", "server")
			e.Server, e.odd = word == "server", e.odd || !ok
		}).preset("exec").doc("exec starts the program for each call, server keeps it running."),
		custom("scope", words("run", "session"), func(d *decoder, e *execFile, v *node.Node) {
			word, ok := d.OneOf(v, "scope", "run", "session")
			e.scope, e.Session, e.odd = v, word == "session", e.odd || !ok
		}).preset("run").doc("With runtime: server, whether all trials share the program or each has its own."),
		custom("sandbox", text, func(d *decoder, e *execFile, v *node.Node) {
			if name, ok := d.Name(v, "sandbox"); ok && name != "" {
				e.sandbox = v
			}
		}).later("sandboxes").doc("A sandbox to run it in."),
	}
})

// programEnv reads the environment variables of a program.
func (d *decoder) programEnv(v *node.Node) []string {
	env, _ := d.Strings(v, "env")
	for i, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); name == "" || strings.ContainsAny(name, " \t\n\x00$") {
			at := v
			if v.Kind == node.List && i < len(v.Content) {
				at = v.Content[i]
			}
			d.Errorf(at, "wrong-name", "env: %q is neither NAME=value nor the NAME of a variable to pass on", name)
		}
	}
	return env
}

// readExec reads the program of a tool, which only mode exec has.
func readExec(d *decoder, t *toolFile, v *node.Node) {
	t.exec = v
	e := execFile{ExecTool: &ExecTool{Dir: d.places.fs.access(d.places.run)}}
	if !execFields.read(d, v, &e) {
		return
	}
	if e.scope != nil && !e.Server && !e.odd {
		d.Errorf(e.scope, "wrong-value", "scope is for programs that keep running, and this one is started for each call").
			Hint = "add runtime: server, or take scope out"
	}
	t.Exec, t.sandbox = e.ExecTool, e.sandbox
}

// program resolves the program of a tool of mode exec.
func (d *decoder) program(t *toolFile) {
	e := t.Exec
	if e.Timeout == 0 {
		e.Timeout = t.Timeout
	}
	if e.Timeout == 0 {
		e.Timeout = defaultToolTimeout
	}
	path := e.Command
	if filepath.Base(path) != path && !filepath.IsAbs(path) && !d.places.fs.exists(filepath.Join(d.places.run, path)) {
		if found, there := d.runtimePath(path); there { // not below the config folder
			if found, err := filepath.Abs(d.places.fs.access(found)); err == nil {
				e.Command = found
			}
		}
	}
	args, _ := argumentsOf(t.InputSchema)
	d.leftOfProgram(e.Command, node.Get(t.exec, "args"), node.Get(t.exec, "env"), &leaving{
		what: "args", arguments: args, argument: "the program reads the arguments of a call from its stdin",
		variable: "name the variable under env, and let the program read it",
	})
	if t.sandbox != nil {
		d.need("sandboxes", t.sandbox, Feature{Tool: t.ID})
	}
}
