package scenario

import (
	"time"

	"github.com/arena-evals/arena/internal/node"
)

type duration = time.Duration

// additional reads additional_config, whose keys depend on the type of the provider.
func (d *decoder) additional(n *node.Node, p *providerFile) {
	switch p.Type {
	case "mock":
		if p.config != nil {
			mockConfigFields.read(d, p.config, p.Provider)
		}
	case "replay":
		p.Replay = &Replay{Timing: "instant", Match: "turn", Speed: 2}
		if p.config != nil {
			p.Replay.Pos = d.Pos(p.config)
			replayFields.read(d, p.config, p.Replay)
		}
		if node.Get(p.config, "recording") == nil && node.Get(p.config, "arena_output") == nil {
			d.Missing(n, "a provider of type replay", "additional_config.recording")
		}
	default:
		if p.config != nil {
			p.Extra = d.raw(p.config, "additional_config")
		}
	}
}

// mockConfigFields are the settings of type mock. Those for audio have no effect.
var mockConfigFields = table("additional_config of a mock", func() rows[Provider] {
	return rows[Provider]{
		custom("mock_config", text, func(d *decoder, p *Provider, v *node.Node) {
			if name, ok := d.Name(v, "mock_config"); ok {
				p.MockFile, p.MockPos = d.present(v, name), d.Pos(v) // read when all scenarios are known
			}
		}),
		drop[Provider]("auto_respond", boolean),
		drop[Provider]("response_text", text),
		drop[Provider]("duplex_scenario", text),
		drop[Provider]("interrupt_on_turn", natural),
		drop[Provider]("close_after_turns", natural),
		drop[Provider]("close_no_response", boolean),
	}
})

// replayFields are the settings of type replay.
var replayFields = table("additional_config of a replay", func() rows[Replay] {
	return rows[Replay]{
		custom("recording", texts, readRecordings("recording")),
		custom("arena_output", texts, readRecordings("arena_output")),
		custom("session", text, func(d *decoder, r *Replay, v *node.Node) {
			r.SessionPos = d.Pos(v)
			r.Session, _ = d.Name(v, "session")
		}),
		word("timing", words("instant", "realtime", "accelerated"), func(r *Replay) *string { return &r.Timing }),
		word("match", words("turn", "content"), func(r *Replay) *string { return &r.Match }),
		word("tools", words("recorded", "execute"), func(r *Replay) *string { return &r.Tools }),
		custom("speed", positive, func(d *decoder, r *Replay, v *node.Node) {
			if f, ok := d.Float(v, "speed", 0, 1e6); ok && f > 0 {
				r.Speed = f
			} else if ok {
				d.Errorf(v, "out-of-range", "speed must be above 0")
			}
		}),
	}
})

// readRecordings reads the files to answer from: one, a list, and patterns of either.
func readRecordings(key string) func(*decoder, *Replay, *node.Node) {
	return func(d *decoder, r *Replay, v *node.Node) {
		names, ok := d.Strings(v, key)
		if !ok {
			return
		}
		if r.Pos = d.Pos(v); len(names) == 0 {
			d.Errorf(v, "empty-value", "%s names no file", key)
		}
		for i, name := range names {
			at := v
			if v.Kind == node.List {
				at = v.Content[i]
			}
			r.Recordings = append(r.Recordings, d.recordings(at, name)...)
		}
	}
}

// recordings resolves a file to answer from, or a pattern of them. What is missing is a warning for files of another
// tool: with --mock-provider nobody reads it.
func (d *decoder) recordings(at *node.Node, name string) []string {
	fs := d.places.fs
	path, found := d.runtimePath(name)
	if !found && fs.isGlob(path) {
		files, err := fs.glob(path)
		if err != nil || len(files) == 0 {
			d.Foreignf(at, "no-match", "no recording matches %q", path)
		}
		for i := range files {
			files[i] = fs.access(files[i])
		}
		return files
	}
	if !found {
		why := fs.missing(path)
		d.Foreignf(at, why.code, "%s", why.msg).Hint = why.hint
	} else if fs.isDir(path) {
		d.Errorf(at, "is-directory", "%q is a directory, not a recording", path).
			Hint = "name the files: " + join(path, "*.json")
	}
	return []string{fs.access(path)}
}
