package scenario

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// ProgramType is the type of providers that are a program of the user: an agent that is started for each trial.
const ProgramType = "command"

// Program is the program of a provider of type command.
type Program struct {
	Command    []string // without a shell; the first is relative to Dir, or a name in PATH
	CommandPos diag.Pos
	Env        []string // NAME=value, in which ${NAME} is replaced by an environment variable; or a NAME to pass on
	EnvPos     diag.Pos
	Dir        string `digest:"-"` // where the program runs
	Lines      bool   // one process answers all turns, in lines of JSON; else it is started for each reply
	Stdin      bool   // the input is on stdin, not the last argument
	AsksTools  bool   // arena runs the tools that it calls
	Pos        diag.Pos
}

// RunsTools reports whether the provider is an agent that runs its own tools: its reported calls were made.
func (p *Provider) RunsTools() bool {
	asks := p.Program != nil && p.Program.AsksTools || p.HTTP != nil && p.HTTP.AsksTools
	return p.IsAgent() && !asks
}

// Remembers reports whether the provider keeps the conversation itself, so that it is not sent all of it each time.
func (p *Provider) Remembers() bool {
	told := p.HTTP != nil && !p.HTTP.Sends("session") && (p.HTTP.Sends("messages") || p.HTTP.Sends("history"))
	return p.IsAgent() && !told
}

// IsAgent reports whether the provider is an agent, not a model.
func (p *Provider) IsAgent() bool { return ProviderTypeOf(p.Type).Agent }

// programFile is the program of a provider as written in a file.
type programFile struct {
	*Program
	cwd             string
	at              *node.Node // of cwd
	input, tools    *node.Node
	protocolUnknown bool
}

// programFields are the settings of type command.
var programFields = table("additional_config of a command", func() rows[programFile] {
	return rows[programFile]{
		custom("command", texts, readCommand).asIs().
			instead("take it out: the user message comes to the program by itself, as its last argument or on its stdin").
			must("write the program and its arguments as a list: [python3, agent.py]").
			doc("The program and its arguments. No shell reads them. The program is a name to look up in PATH, or a path from " +
				"cwd."),
		custom("cwd", text, func(d *decoder, p *programFile, v *node.Node) {
			p.cwd, _ = d.Name(v, "cwd")
			p.at = v
		}).doc("The folder in which it runs, from the folder of this file. Left out: the folder of the config."),
		custom("env", texts, func(d *decoder, p *programFile, v *node.Node) {
			p.Env, p.EnvPos = d.agentEnv(v), d.Pos(v)
		}).asIs().doc("Variables that it sees: NAME=value, or a NAME to pass on; ${NAME} stands for the environment."),
		custom("protocol", words("once", "lines"), func(d *decoder, p *programFile, v *node.Node) {
			word, ok := d.OneOf(v, "protocol", "once", "lines")
			p.Lines, p.protocolUnknown = word == "lines", !ok
		}).preset("once").doc("once starts it for each user message, and its output is the reply; lines starts it for a " +
			"trial, and exchanges JSON with it, line by line."),
		custom("input", words("arg", "stdin"), func(d *decoder, p *programFile, v *node.Node) {
			word, _ := d.OneOf(v, "input", "arg", "stdin")
			p.Stdin, p.input = word == "stdin", v
		}).preset("arg").doc("With protocol: once, whether the user message is its last argument or its stdin."),
		custom("tools", words("own", "arena"), func(d *decoder, p *programFile, v *node.Node) {
			word, _ := d.OneOf(v, "tools", "own", "arena")
			p.AsksTools, p.tools = word == "arena", v
		}).preset("own").doc("With protocol: lines, whether it runs the tools that it calls itself, and tells of them, or " +
			"arena runs its own and answers with the results."),
	}
})

// program reads the settings of type command.
func (d *decoder) agentProgram(n *node.Node, p *providerFile) {
	f := programFile{Program: &Program{Dir: p.Dir, Pos: p.Pos}}
	p.Program = f.Program
	if p.config == nil {
		d.Missing(n, "a provider of type command", "additional_config.command")
		return
	}
	f.Pos = d.Pos(p.config)
	table := *programFields
	if !table.strays(notOfProgram).read(d, p.config, &f) {
		return
	}
	if f.at != nil && f.cwd != "" {
		d.agentFolder(&f)
	}
	if f.input != nil && f.Lines {
		d.Errorf(f.input, "wrong-value", "input is for protocol: once; with lines each user message is a line of stdin").
			Hint = "take it out"
	}
	if f.tools != nil && f.AsksTools && !f.Lines && !f.protocolUnknown {
		d.Errorf(f.tools, "wrong-value", "tools: arena needs protocol: lines; a program that is started once cannot ask").
			Hint = "write protocol: lines, or take tools out"
	}
	if len(f.Command) > 0 {
		command := node.Get(p.config, "command")
		d.leftOfProgram(f.Command[0], command, node.Get(p.config, "env"), &leaving{
			what: "command", arguments: inputNames, argument: messageByItself(&f),
			variable: "name the variable under env, and let the program read it",
		})
	}
}

// messageByItself is the hint for a placeholder of the user message.
func messageByItself(f *programFile) string {
	way := "is the last argument of the program by itself"
	if f.Lines || f.Stdin {
		way = "comes on the stdin of the program"
	}
	return "take it out: the user message " + way
}

// readCommand reads a program with its arguments.
func readCommand(d *decoder, p *programFile, v *node.Node) {
	p.CommandPos = d.Pos(v)
	command, ok := d.Strings(v, "command")
	switch {
	case !ok:
		return
	case len(command) == 0 || strings.TrimSpace(command[0]) == "":
		d.Errorf(v, "empty-value", "command names no program").
			Hint = "write the program and its arguments: [python3, agent.py]"
		return
	case v.Kind == node.Scalar && strings.ContainsAny(strings.TrimSpace(command[0]), " \t\n"):
		d.Errorf(v, "wrong-type", "command is one text with blanks, and no shell splits it").
			Hint = "write a list: [" + strings.Join(strings.Fields(command[0]), ", ") + "]"
		return
	}
	for i, word := range command {
		if strings.ContainsRune(word, 0) {
			at := v
			if v.Kind == node.List {
				at = v.Content[i]
			}
			d.Errorf(at, "wrong-value", "command: %q holds a NUL character, which no argument can", word)
			return
		}
	}
	p.Command = command
}

// agentFolder resolves the working directory of a program, from the folder of the file that names it.
func (d *decoder) agentFolder(f *programFile) {
	path := f.cwd
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(d.File), path)
	}
	fs := d.places.fs
	switch {
	case fs.isDir(path):
		f.Dir = fs.access(path)
	case fs.exists(path):
		d.Errorf(f.at, "wrong-value", "cwd: %q is a file, and no folder", path)
	default:
		why := fs.missing(path)
		d.Errorf(f.at, why.code, "cwd: %s", why.msg).Hint = why.hint
	}
}

// protectedVariables cannot be set by a file for an agent's program: they would change the program, or arena could not
// trace it.
var protectedVariables = []string{
	"ARENA_SCENARIO", "ARENA_TRACE_DIR", "ARENA_TRIAL_ID", "ARENA_TURN", "HOME", "KENSA_TRACE_DIR", "LD_LIBRARY_PATH",
	"LD_PRELOAD", "PATH", "PYTHONPATH", "SHELL", "USER",
}

func isProtected(name string) bool {
	return slices.Contains(protectedVariables, name) || strings.HasPrefix(name, "DYLD_")
}

// agentEnv reads the variables of an agent's program, without protected ones.
func (d *decoder) agentEnv(v *node.Node) (env []string) {
	for i, entry := range d.programEnv(v) {
		name, _, sets := strings.Cut(entry, "=")
		if !isProtected(name) || !sets && slices.Contains([]string{"HOME", "PATH", "PYTHONPATH", "SHELL", "USER"}, name) {
			env = append(env, entry)
			continue
		}
		at := v
		if v.Kind == node.List && i < len(v.Content) {
			at = v.Content[i]
		}
		d.Warnf(at, "protected-variable", "env: %s is not set for the program of an agent", name).Hint = whyProtected(name)
	}
	return env
}

func whyProtected(name string) string {
	if strings.HasPrefix(name, "ARENA_") || name == "KENSA_TRACE_DIR" {
		return "arena sets it; take it out"
	}
	return fmt.Sprintf("the program gets %s as arena has it, or not at all; set it in a script that starts the program",
		name)
}

// notOfProgram says where a setting belongs that is unknown in additional_config of a command.
func notOfProgram(key string) string {
	switch key {
	case "timeout", "timeout_ms", "timeout_seconds":
		return "request_timeout beside additional_config limits how long a reply may take, such as 60s"
	case "args", "argv":
		return "the arguments stand behind the program: command: [python3, agent.py, --fast]"
	case "env_overrides":
		return "env lists variables: [NAME=value]"
	case "run_command", "cmd":
		return "it is called command"
	case "url", "body", "method":
		return "a provider of type http reads it"
	}
	return ""
}

// programKeys are keys of a provider that do not apply to programs, with reasons.
var programKeys = []struct{ key, why string }{
	{"base_url", "a program has no address"},
	{"headers", "a program is sent no headers"},
	{"credential", "the program finds its keys itself; name their variables under env"},
	{"platform", "no cloud hosts a program"},
	{"defaults", "a program is not told of them; give it what it needs by command or env"},
	{"unsupported_params", "a program is sent no parameters"},
	{"stream_idle_timeout", "request_timeout limits the whole reply"},
	{"stream_retry", "a program is never started again for the same reply: it may have acted"},
	{"circuit_breaker", "a program is started whatever others did"},
	{"http_transport", "a program has no connections"},
}

// idleOfProgram warns of keys without effect for a program.
func (d *decoder) idleOfProgram(n *node.Node) {
	for _, k := range programKeys {
		if at := node.Get(n, k.key); at != nil {
			d.Warnf(at, NoEffect, "%s has no effect with type command: %s", k.key, k.why)
		}
	}
}
