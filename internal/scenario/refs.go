package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// duplicates reports resources of one kind that share a name.
func (b *build) duplicates() {
	p := b.p
	same(b, "scenarios are called", p.Scenarios, func(s *Scenario) (string, diag.Pos) { return s.ID, s.Pos })
	same(b, "evals are called", p.Evals, func(e *RecordingEval) (string, diag.Pos) { return e.ID, e.Pos })
	same(b, "providers are called", p.Providers, func(q *Provider) (string, diag.Pos) { return q.ID, q.Pos })
	same(b, "tools are called", p.Tools, func(t *Tool) (string, diag.Pos) { return t.ID, t.Pos })
	same(b, "personas are called", p.Personas, func(q *Persona) (string, diag.Pos) { return q.ID, q.Pos })
	same(b, "prompts have the task type", p.Prompts, func(q *Prompt) (string, diag.Pos) { return q.TaskType, q.Pos })
}

func same[T any](b *build, what string, list []T, name func(T) (string, diag.Pos)) {
	first := make(map[string]diag.Pos, len(list))
	for _, v := range list {
		id, pos := name(v)
		before, twice := first[id]
		if !twice {
			first[id] = pos
			continue
		}
		b.l.diags.Errorf(pos, len([]rune(id)), "duplicate-id", "two %s %q: the first is at %s", what, id, before).
			Hint = "give one of them another name"
	}
}

// claimedNames reports ambiguous names of prompts: a name that is the id of one prompt and the task type of another,
// and ids of two entries.
func (b *build) claimedNames() {
	for i, q := range b.p.Prompts {
		if q.ListedPos.Line == 0 {
			continue
		}
		for j, other := range b.p.Prompts {
			switch {
			case i == j || q.TaskType == other.TaskType: // is reported
			case j < i && other.ID == q.ID && other.ListedPos.Line != 0 && other.ListedPos != q.ListedPos:
				b.l.diags.Errorf(q.ListedPos, len([]rune(q.ID)), "duplicate-id",
					"two prompts have the id %q in prompt_configs: the first is at %s", q.ID, other.ListedPos).
					Hint = "give one of them another id: " + b.freeID(q)
			case other.TaskType == q.ID:
				b.l.diags.Warnf(q.ListedPos, len([]rune(q.ID)), "ambiguous-name",
					"two prompts claim the name %q: this one, of the task type %q, by its id, and the one at %s by its task type",
					q.ID, q.TaskType, other.place()).Hint = fmt.Sprintf(
					"scenarios of the task type %q get the latter; name the file that is meant, or write another id: %s",
					q.ID, b.freeID(q))
			}
		}
	}
}

// freeID is an unused id for a prompt.
func (b *build) freeID(q *Prompt) string {
	taken := func(id string) bool {
		return slices.ContainsFunc(b.p.Prompts, func(o *Prompt) bool { return o != q && (o.ID == id || o.TaskType == id) })
	}
	id := q.TaskType
	for taken(id) {
		id += "-prompt"
	}
	return id
}

// names of what references may mean.
type nameSets struct {
	providers, groups, personas, roles, tools, tasks, promptIDs, compositions, evals []string
}

func (b *build) names() *nameSets {
	p, n := b.p, &nameSets{}
	for _, c := range p.Compositions {
		n.compositions = append(n.compositions, c.Name)
	}
	for _, e := range p.EvalsFor(nil) {
		n.evals = append(n.evals, e.ID)
	}
	for _, q := range p.Providers {
		n.providers = append(n.providers, q.ID)
		if q.Alias != "" {
			n.providers = append(n.providers, q.Alias)
		}
		n.groups = append(n.groups, q.Group)
	}
	for _, q := range p.Personas {
		n.personas = append(n.personas, q.ID)
		if q.Alias != "" {
			n.personas = append(n.personas, q.Alias)
		}
	}
	for _, r := range p.Roles {
		n.roles = append(n.roles, r.ID)
	}
	for _, t := range p.Tools {
		n.tools = append(n.tools, t.ID)
	}
	for _, t := range b.unbound {
		n.tools = append(n.tools, t.ID)
	}
	for _, q := range p.Prompts {
		n.tasks = append(n.tasks, q.TaskType)
		n.promptIDs = append(n.promptIDs, q.ID, q.TaskType)
		if q.Alias != "" {
			n.promptIDs = append(n.promptIDs, q.Alias)
		}
	}
	return n
}

// resolve reports references to names that do not exist.
func (b *build) resolve() {
	n := b.names()
	known := map[referenceKind]map[string]bool{
		toProvider: set(n.providers), toGroup: set(n.groups), toPersona: set(n.personas), toRole: set(n.roles),
		toTool: set(n.tools), toOffered: set(n.tools), toFailing: set(n.tools),
		toTask: set(n.tasks), toPromptID: set(n.promptIDs),
		toComposition: set(n.compositions), toEval: set(n.evals),
	}
	for _, r := range b.refs {
		if known[r.to][r.name] && (r.to != toRole || b.p.SelfPlay) {
			continue
		}
		if !b.broken[r.to.kind()] {
			b.dangling(r, n)
		}
	}
}

// kind is the kind that must be completely loaded for a reference to be checked.
func (t referenceKind) kind() kind {
	switch t {
	case toProvider, toGroup:
		return kindProvider
	case toPersona:
		return kindPersona
	case toTool, toOffered, toFailing:
		return kindTool
	case toTask, toPromptID, toComposition, toEval: // the latter two may be in a pack
		return kindPrompt
	case toRole:
		return kindArena
	}
	return ""
}

func set(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

func (b *build) dangling(r reference, n *nameSets) {
	d := diag.Diagnostic{Pos: r.pos, Width: r.width, Code: "unknown-name"}
	var names []string
	switch r.to {
	case toProvider:
		d.Msg, names = fmt.Sprintf("there is no provider %q", r.name), n.providers
	case toGroup:
		d.Msg, names = fmt.Sprintf("no provider is in the group %q", r.name), n.groups
	case toPersona:
		d.Msg, names = fmt.Sprintf("there is no persona %q", r.name), n.personas
	case toRole:
		b.danglingRole(&d, r, n)
		names = append([]string{"user"}, n.roles...)
	case toTask:
		d.Msg, names = fmt.Sprintf("there is no prompt of the task type %q", r.name), n.tasks
	case toPromptID:
		d.Msg, names = fmt.Sprintf("there is no prompt %q", r.name), n.promptIDs
	case toComposition:
		d.Msg, names = fmt.Sprintf("there is no composition %q", r.name), n.compositions
	case toEval:
		d.Msg, names = fmt.Sprintf("there is no eval %q among pack_evals and those of the pack", r.name), n.evals
	case toTool, toOffered, toFailing:
		if b.danglingServed(&d, r.name) {
			break
		}
		if b.mayBeServed(r.name) || r.to == toOffered && offersAny(r.name, n.tools) ||
			r.to == toFailing && b.mayFail(r.name, n.tools) {
			return
		}
		d.Msg, names = fmt.Sprintf("there is no tool %q", r.name), append(b.p.OwnTools(), n.tools...)
		// A prompt may be used without its tools: recorded replies have the results.
		if b.l.opts.Lenient || r.to == toOffered && len(n.tools) == 0 {
			d.Severity = diag.Warning
		}
	}
	if r.to == toTool || r.to == toOffered || r.to == toFailing {
		d.Hint = cmp.Or(d.Hint, b.unlistedTool(r.name))
	}
	d.Hint = cmp.Or(d.Hint, hintNames(r.name, names))
	b.l.diags.Add(d)
}

func (b *build) danglingRole(d *diag.Diagnostic, r reference, n *nameSets) {
	switch {
	case len(n.roles) > 0 && !b.p.SelfPlay:
		d.Msg = fmt.Sprintf("the role %q needs self_play, which is switched off", r.name)
		d.Hint = "set self_play.enabled to true, or skip the scenario"
	case len(n.roles) == 0:
		d.Msg = fmt.Sprintf("there is no role %q: only \"user\", as the config has no self_play", r.name)
		d.Hint = "write role: user; a role that a model plays is described below self_play in the config"
	default:
		d.Msg = fmt.Sprintf("there is no role %q: it is \"user\" or a role of self_play", r.name)
	}
}

// danglingServed describes a wrong name of an MCP server's tool, as far as its declaration shows. It returns false for
// other names and correct ones.
func (b *build) danglingServed(d *diag.Diagnostic, name string) bool {
	if !strings.HasPrefix(name, ServerPrefix) {
		return false
	}
	d.Msg, d.Hint = b.p.NotServed(name)
	if b.l.opts.Lenient || len(b.p.Servers) == 0 && len(b.p.Tools) == 0 {
		d.Severity = diag.Warning
	}
	return d.Msg != ""
}

// NotServed says why no MCP server can have a tool of this name, which may end in *; "" if one can.
func (p *Project) NotServed(name string) (why, hint string) {
	server := p.ServerOf(name)
	if server == nil {
		var likely []string
		_, tool, _ := strings.Cut(strings.TrimPrefix(name, ServerPrefix), "__")
		for _, s := range p.Servers {
			prefix := s.Prefix()
			if raw, inside := strings.CutPrefix(name, ServerPrefix+s.Name+"__"); inside && prefix == "" {
				return fmt.Sprintf("there is no tool %q: those of the MCP server %q have no prefix, as it runs in a container",
					name, s.Name), "write " + raw
			}
			if stem, wild := strings.CutSuffix(name, "*"); wild && strings.HasPrefix(prefix, stem) {
				return "", ""
			}
			if prefix != "" {
				likely = append(likely, prefix+cmp.Or(tool, "*"))
			}
		}
		return fmt.Sprintf("no MCP server can have the tool %q", name), hintNames(name, likely)
	}
	raw := strings.TrimPrefix(name, server.Prefix())
	if !strings.HasSuffix(raw, "*") && !server.Tools.Takes(raw) {
		return fmt.Sprintf("the tool_filter of the MCP server %q leaves out the tool %q", server.Name, raw),
			"change the filter, or take the name out"
	}
	return "", ""
}

// mayBeServed reports whether a tool may come from a server, an agent or arena, whose names are not known yet.
func (b *build) mayBeServed(name string) bool {
	if strings.HasPrefix(name, a2a.Prefix) {
		return len(b.p.Agents) > 0
	}
	if isOwn(name) {
		return b.p.mayBeOwn(name)
	}
	return strings.HasPrefix(name, ServerPrefix) || b.p.InContainer(name)
}

// mayFail reports whether a name that ends in * matches a tool of the project, of arena, or possibly of a server or an
// agent.
func (b *build) mayFail(pattern string, tools []string) bool {
	prefix, wild := strings.CutSuffix(pattern, "*")
	elsewhere := len(b.p.Servers) > 0 && strings.HasPrefix(ServerPrefix, prefix) ||
		len(b.p.Agents) > 0 && strings.HasPrefix(a2a.Prefix, prefix)
	return wild && (elsewhere || offersAny(pattern, tools) || offersAny(pattern, b.p.OwnTools()))
}

// offersAny reports whether a name that ends in * matches a tool.
func offersAny(pattern string, tools []string) bool {
	prefix, wild := strings.CutSuffix(pattern, "*")
	for _, name := range tools {
		if wild && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// hintNames suggests the nearest of the known names, or lists them.
func hintNames(name string, names []string) string {
	if hint := diag.DidYouMean(name, names); hint != "" {
		return hint
	}
	const most = 12
	var list []string
	for _, known := range names {
		if known != "" && !contains(list, known) {
			list = append(list, known)
		}
	}
	switch {
	case len(list) == 0:
		return "there are none in this project"
	case len(list) > most:
		return "known: " + strings.Join(list[:most], ", ") + ", …"
	}
	return "known: " + strings.Join(list, ", ")
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

// unknownName reports a name that is not among those defined in the same file.
func (d *decoder) unknownName(n *node.Node, what string, names []string) {
	d.Errorf(n, "unknown-name", "there is no %s %q", what, n.Value).Hint = hintNames(n.Value, names)
}
