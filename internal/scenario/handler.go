package scenario

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Handler is a check type that a project declares: a program that scores (evals of a runtime config).
type Handler struct {
	Type       string
	Pos        diag.Pos // of the type
	Command    string   // against Dir, or a name to look up in PATH
	CommandPos diag.Pos
	Args       []string
	Env        []string // NAME=value, in which ${NAME} is replaced by an environment variable; or a NAME to pass on
	Timeout    time.Duration
	Dir        string `digest:"-"` // where the program runs
	// Later is what of it arena does not have yet; "" is nothing. A check of such a type is refused.
	Later string
}

const defaultHandlerTimeout = 30 * time.Second

// handlerFields are the keys of a check type that is a program.
var handlerFields = table("an entry of evals", func() rows[Handler] {
	return rows[Handler]{
		custom("command", text, func(d *decoder, h *Handler, v *node.Node) {
			h.Command, _ = d.Name(v, "command")
			h.CommandPos = d.Pos(v)
		}).must().doc("The program: a name to look up in PATH, or a path."),
		strs("args", func(h *Handler) *[]string { return &h.Args }).asIs().doc("Its arguments."),
		custom("env", texts, func(d *decoder, h *Handler, v *node.Node) { h.Env = d.programEnv(v) }).
			asIs().doc("Variables that it sees: NAME=value, or a NAME to pass on; ${NAME} stands for the environment."),
		handlerTimeout("timeout_ms").doc("How long a check may take, in milliseconds.").preset("30000"),
		handlerTimeout("timeoutMs").doc("The same as timeout_ms."),
		custom("runtime", words("exec", "server"), func(d *decoder, h *Handler, v *node.Node) {
			if word, _ := d.OneOf(v, "runtime", "exec", "server"); word == "server" {
				h.Later = "programs that keep running (runtime: server)"
			}
		}).preset("exec").doc("exec starts it for each check; server, which keeps it running, is not available yet."),
		custom("sandbox", text, func(d *decoder, h *Handler, v *node.Node) {
			if name, ok := d.Name(v, "sandbox"); ok && name != "" {
				h.Later = "sandboxes"
			}
		}).later("sandboxes").doc("A sandbox to run it in."),
	}
})

func handlerTimeout(name string) *field[Handler] {
	return custom(name, counting, func(d *decoder, h *Handler, v *node.Node) {
		ms, ok := d.Int(v, name, int(counting.Low), int(counting.High))
		span := time.Duration(ms) * time.Millisecond
		if ok && h.Timeout != 0 && h.Timeout != span {
			d.Errorf(v, "duplicate-key", "timeout_ms and timeoutMs say different things").Hint = "keep one of the two"
		}
		h.Timeout = span
	})
}

func readHandlers(d *decoder, r *runtimeFile, v *node.Node) {
	d.Each(v, "evals", func(name string, k, spec *node.Node) {
		h := &Handler{Type: strings.TrimSpace(name), Pos: d.Pos(k), Dir: d.programDir()}
		if h.Type == "" {
			d.Errorf(k, "empty-value", "a check type needs a name")
		}
		if !handlerFields.read(d, spec, h) {
			return
		}
		if h.Timeout == 0 {
			h.Timeout = defaultHandlerTimeout
		}
		r.handlers = append(r.handlers, h)
	})
}

// programDir is the working directory of programs: the folder of the file, or for an arena config the base of run-time
// paths.
func (d *decoder) programDir() string {
	dir := filepath.Dir(d.File)
	if dir == filepath.Clean(d.places.config) {
		dir = d.places.run
	}
	return d.places.fs.access(dir)
}

// lateCheck is a check whose type was unknown when its file was read.
type lateCheck struct {
	check *Check
	place *Placed // where the result goes as well; nil: nowhere
}

// compileLate compiles the late checks after all files are read.
func (b *build) compileLate() {
	same(b, "programs score as", b.p.Handlers, func(h *Handler) (string, diag.Pos) { return h.Type, h.Pos })
	handlers := make(map[string]*Handler, len(b.p.Handlers))
	for _, h := range b.p.Handlers {
		handlers[h.Type] = h
	}
	for _, o := range b.p.Open {
		o.spec.Handlers = handlers
	}
	for _, late := range b.late {
		c := late.check
		c.Early, c.Unknown, c.Handlers = false, false, handlers
		b.l.opts.Compile(c, b.l.diags)
		c.Params, c.Handlers = nil, nil
		if late.place != nil {
			late.place.Compiled = c.Compiled
		}
	}
	b.late = nil
}
