package scenario

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
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
	case ProgramType:
		d.agentProgram(n, p)
		d.idleOfProgram(n)
	case HTTPType:
		d.httpAgent(n, p)
	default:
		if p.config == nil {
			return
		}
		p.Extra = d.raw(p.config, "additional_config")
		if of := configOf(p.Type, p.Role); of != nil {
			table := *of
			table.strays(elsewhere(of)).read(d, p.config, &p.calls)
		}
	}
}

// configOf is the table for a provider; nil: arena cannot talk to such providers yet.
func configOf(kind, role string) *fields[callFile] {
	t := ProviderTypeOf(kind)
	if role == "embedding" && t.Available {
		return embeddingConfigFields
	}
	return t.settings
}

// Settings of additional_config, by type.
var (
	openaiConfigFields = table("additional_config of an openai provider", func() rows[callFile] {
		return append(wireRows(),
			word("api_mode", words("completions", "responses"), func(c *callFile) *string { return &c.APIMode }).
				doc("By which API of OpenAI the model is called."),
			word("reasoning_summary", words("auto", "concise", "detailed"),
				func(c *callFile) *string { return &c.ReasoningSummary }).
				doc("Has the model sum up what it thought, with api_mode: responses."),
			needed("modalities", texts, "replies in sound").doc("What replies are made of."),
			needed("audio_format", text, "replies in sound").doc("The format of sound in replies."),
			needed("voice", text, "replies in sound").doc("The voice of replies."),
		)
	})
	compatibleConfigFields = table("additional_config of a provider of this type", wireRows)
	ollamaConfigFields     = table("additional_config of an ollama provider", func() rows[callFile] {
		return append(wireRows(), str("keep_alive", func(c *callFile) *string { return &c.keepAlive }).asIs().
			doc("How long the server keeps the model loaded."))
	})
	embeddingConfigFields = table("additional_config of an embedding model", func() rows[callFile] {
		return rows[callFile]{extraBody()}
	})
	anthropicConfigFields = table("additional_config of an anthropic provider", func() rows[callFile] {
		return append(once(callRows()),
			integer("thinking_budget", natural, func(c *callFile) *int { return &c.ThinkingBudget }).
				doc("Tokens that the model may think before it speaks, a part of max_tokens."),
			custom("effort", words(anthropicEfforts...), readEffort).doc("The vendor's name for reasoning_effort."),
			label("version", func(c *callFile) *string { return &c.APIVersion }).preset("2023-06-01").asIs().
				doc("The version of the API."),
			custom("extra_body", bodyShape{}, readBody).
				doc("Parameters that only this server knows; they go into each request as they are, judges' too."))
	})
	geminiConfigFields = table("additional_config of a gemini provider", func() rows[callFile] {
		return append(once(callRows()),
			optionalInteger("thinking_budget", thinkingBudget, func(c *callFile) **int { return &c.Gemini.ThinkingBudget }).
				doc("Tokens that the model may think, a part of max_tokens; 0: it does not, -1: as it likes."),
			flag("include_thoughts", func(c *callFile) *bool { return &c.Gemini.IncludeThoughts }).
				doc("Has the API tell what the model thinks."),
			custom("response_modalities", listOf(modalities), func(d *decoder, c *callFile, v *node.Node) {
				c.Gemini.Modalities = d.wordList(v, "response_modalities", modalities)
			}).doc("What replies are made of."),
			objects("safety_settings", safetyFields, func(c *callFile) *[]SafetySetting { return &c.Gemini.Safety }).
				doc("From where on the API blocks."),
			custom("extra_body", bodyShape{}, readBody).
				doc("Parameters that only this server knows; they go into each request as they are, judges' too."))
	})
)

// serverOnly are parameters of some servers whose nearest name of ours means something else.
var serverOnly = []string{
	"frequency_penalty", "guided_choice", "guided_grammar", "guided_json", "guided_regex", "logit_bias", "logprobs",
	"metadata", "min_p", "min_tokens", "num_ctx", "presence_penalty", "repetition_penalty", "service_tier", "store",
	"top_k", "top_logprobs", "user", "verbosity",
}

func extraBody() *field[callFile] {
	return custom("extra_body", bodyShape{}, readBody).
		doc("Parameters that only this server knows; they go into each request as they are, judges' too.")
}

// wireRows are the settings of every server with OpenAI's API.
func wireRows() rows[callFile] {
	return append(once(callRows()),
		flag("strict_tools", func(c *callFile) *bool { return &c.StrictTools }).
			doc("Has the server hold the arguments of tool calls to their schemas; every argument is required then."),
		extraBody(),
	)
}

// needed is a field for a feature that arena does not have yet.
func needed(name string, s keys.Shape, feature string) *field[callFile] {
	return custom(name, s, func(d *decoder, c *callFile, v *node.Node) {
		s.Check(d, v, name)
		d.need(feature, v, Feature{Provider: c.provider})
	}).later(feature)
}

// elsewhere says where an unknown setting belongs: to another type, or into extra_body.
func elsewhere(own *fields[callFile]) func(key string) string {
	return func(key string) string {
		switch {
		case key == "mock_config":
			return "a provider of type mock reads it"
		case replayFields.index(key) >= 0:
			return "a provider of type replay reads it"
		}
		for _, t := range ProviderTypes() {
			if t.settings != nil && t.settings.index(key) >= 0 {
				return "a provider of type " + t.Name + " reads it"
			}
		}
		if slices.Contains(serverOnly, key) {
			return "write it under extra_body, which passes on what only some servers know"
		}
		if diag.Nearest(key, own.names()) == "" {
			return "known fields: " + strings.Join(own.names(), ", ") +
				"; extra_body passes on what the server knows beyond them"
		}
		return ""
	}
}

const audioSession = "it is about audio sessions; write replies into mock_config or below the turns"

// mockConfigFields are the settings of type mock. Those for audio have no effect.
var mockConfigFields = table("additional_config of a mock", func() rows[Provider] {
	return rows[Provider]{
		custom("mock_config", text, func(d *decoder, p *Provider, v *node.Node) {
			if name, ok := d.Name(v, "mock_config"); ok {
				p.MockFile, p.MockPos = d.present(v, name), d.Pos(v) // read when all scenarios are known
			}
		}).doc("The file with the canned replies. Those on turns win over it."),
		idle[Provider]("auto_respond", boolean, audioSession),
		idle[Provider]("response_text", text, audioSession),
		idle[Provider]("duplex_scenario", text, audioSession),
		idle[Provider]("interrupt_on_turn", natural, audioSession),
		idle[Provider]("close_after_turns", natural, audioSession),
		idle[Provider]("close_no_response", boolean, audioSession),
	}
})

// replayFields are the settings of type replay.
var replayFields = table("additional_config of a replay", func() rows[Replay] {
	return rows[Replay]{
		custom("recording", texts, readRecordings("recording")).doc("The recording to answer from."),
		custom("arena_output", texts, readRecordings("arena_output")).doc("The same as recording."),
		custom("session", text, func(d *decoder, r *Replay, v *node.Node) {
			r.SessionPos = d.Pos(v)
			r.Session, _ = d.Name(v, "session")
		}).doc("Which session of the recording answers; when left out those of the scenario, each trial by its own."),
		word("timing", words("instant", "realtime", "accelerated"), func(r *Replay) *string { return &r.Timing }).
			preset("instant").
			doc("How fast replies come."),
		word("match", words("turn", "content"), func(r *Replay) *string { return &r.Match }).
			doc("Whether replies are found by turn or by what was asked. By turn, other words of the user than the recorded " +
				"ones are a warning; by content, words that were not recorded are an error.").preset("turn"),
		word("tools", words("recorded", "execute"), func(r *Replay) *string { return &r.Tools }).
			doc("Whether results of tools come from the recording too, or the tools are run."),
		custom("speed", positive, func(d *decoder, r *Replay, v *node.Node) {
			if f, ok := d.Float(v, "speed", 0, 1e6); ok && f > 0 {
				r.Speed = f
			} else if ok {
				d.Errorf(v, "out-of-range", "speed must be above 0")
			}
		}).preset("2").doc("How many times as fast as recorded, with timing: accelerated."),
	}
})

// readRecordings reads the files of recordings: one, a list, and patterns.
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

// recordings resolves a file or a pattern of recordings. Missing files are a warning in files of another tool: with
// --mock-provider they are not read.
func (d *decoder) recordings(at *node.Node, name string) []string {
	fs := d.places.fs
	path, found := d.runtimePath(name)
	if !found && fs.isGlob(path) {
		files, err := fs.glob(path)
		if err != nil || len(files) == 0 {
			d.Foreignf(at, "no-match", "no recording matches %q", path)
		}
		files = slices.DeleteFunc(files, func(file string) bool { return strings.HasPrefix(filepath.Base(file), ".") })
		for i := range files {
			files[i] = fs.access(files[i])
		}
		return files
	}
	if !found {
		why := d.missingFile(name)
		d.Foreignf(at, why.code, "%s", why.msg).Hint = why.hint
	} else if fs.isDir(path) {
		hint := "name the files: " + join(path, "*.json")
		if name := join(path, "results.json"); fs.exists(name) { // of a run of arena
			hint = "name its file: " + name
		}
		d.Errorf(at, "is-directory", "%q is a directory, not a recording", path).Hint = hint
	}
	return []string{fs.access(path)}
}
