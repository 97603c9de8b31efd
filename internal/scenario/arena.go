package scenario

import (
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/skill"
)

// arenaFile is an arena config as written: its settings, and the files it names.
type arenaFile struct {
	Defaults  Defaults
	configDir string // defaults.config_dir

	prompts   []promptRef
	providers []providerRef
	scenarios []fileRef
	evals     []fileRef
	tools     []fileRef
	personas  []fileRef
	pack      *fileRef

	inline []document // the …_specs maps

	judges       []Judge
	roles        []Role
	selfPlay     bool // self_play is present and not switched off
	packEvals    []*Eval
	globals      []Placed
	compositions []*Composition
	workflow     *Workflow
	memory       bool
	skills       []*skill.Skill
	prices       ModelPrices
	pricesAt     []pricedModel
	agents       []*Agent
	agentTools   []*Tool // of simulated agents
	servers      []*Server
	runtime      *node.Node
	nothing      bool // it has no key that names something to run
}

// fileRef names a file, or is a pattern for several.
type fileRef struct {
	path string // as written
	at   *node.Node
}

type providerRef struct {
	fileRef
	group   string
	groupAt *node.Node
}

type promptRef struct {
	fileRef
	id    string
	idAt  *node.Node
	vars  map[string]string
	given []givenVariable // the same with their positions
}

// arenaFields are the keys of kind Arena.
var arenaFields = table("an arena config", func() rows[arenaFile] {
	return rows[arenaFile]{
		ownName[arenaFile]("id"),
		ownName[arenaFile]("name"),
		objects("prompt_configs", promptRefFields, func(a *arenaFile) *[]promptRef { return &a.prompts }).
			doc("The prompts under test."),
		objects("providers", providerRefFields, func(a *arenaFile) *[]providerRef { return &a.providers }).
			doc("The models to run against."),
		fileRefs("scenarios", func(a *arenaFile) *[]fileRef { return &a.scenarios }).doc("The conversations to run."),
		fileRefs("evals", func(a *arenaFile) *[]fileRef { return &a.evals }).doc("Checks over recordings."),
		fileRefs("tools", func(a *arenaFile) *[]fileRef { return &a.tools }).doc("The tools of the agents."),
		custom("judges", listOf(judgeFields), readJudges).doc("The models that judge, by name."),
		custom("judge_defaults", judgeDefaultFields, func(d *decoder, a *arenaFile, v *node.Node) {
			judgeDefaultFields.read(d, v, a)
		}).doc("What judges are told where a check says nothing."),
		custom("self_play", selfPlayFields, func(d *decoder, a *arenaFile, v *node.Node) {
			a.selfPlay = true
			selfPlayFields.read(d, v, a)
		}).doc("Personas and the models that play them."),
		custom("globals", globalFields, func(d *decoder, a *arenaFile, v *node.Node) { globalFields.read(d, v, a) }).
			doc("Checks that hold for every conversation."),
		evalList("pack_evals", func(a *arenaFile) *[]*Eval { return &a.packEvals }).
			doc("Evals beside those of the pack; the same id replaces one."),
		custom("pack_file", text, func(d *decoder, a *arenaFile, v *node.Node) {
			if path, ok := d.Name(v, "pack_file"); ok {
				a.pack = &fileRef{path, v}
			}
		}).doc("A pack whose prompts, tools and evals belong to the project."),
		custom("defaults", defaultsFields, func(d *decoder, a *arenaFile, v *node.Node) { defaultsFields.read(d, v, a) }).
			doc("Settings of every run."),
		specs("prompt_specs", kindPrompt).doc("Prompts written here, by id."),
		specs("provider_specs", kindProvider).doc("Providers written here, by id."),
		specs("scenario_specs", kindScenario).doc("Scenarios written here, by id."),
		specs("eval_specs", kindEval).doc("Evals written here, by id."),
		specs("tool_specs", kindTool).doc("Tools written here, by name."),
		custom("judge_specs", mapOf(judgeSpecFields), func(d *decoder, a *arenaFile, v *node.Node) {
			d.Each(v, "judge_specs", func(name string, k, spec *node.Node) {
				j := Judge{Name: name, Pos: d.Pos(k)}
				if judgeSpecFields.read(d, spec, &j) {
					a.judges = append(a.judges, j)
				}
			})
		}).doc("Judges written here, by name."),
		custom("mcp_servers", listOf(serverFields),
			func(d *decoder, a *arenaFile, v *node.Node) { a.servers = d.servers(v) }).
			doc("Servers whose tools are offered."),
		custom("a2a_agents", listOf(agentFields), func(d *decoder, a *arenaFile, v *node.Node) {
			a.agents, a.agentTools = d.agents(v)
		}).
			doc("Other agents, simulated or remote."),
		custom("skills", listOf(skillFields), func(d *decoder, a *arenaFile, v *node.Node) {
			a.skills = d.skills(v, skillBase{d.places.config, "config"})
		}).
			doc("Folders of skills."),
		custom("workflow", workflowFields, func(d *decoder, a *arenaFile, v *node.Node) { a.workflow = d.workflow(v) }).
			doc("The states through which conversations go."),
		custom("compositions", mapOf(compositionFields), func(d *decoder, a *arenaFile, v *node.Node) {
			a.compositions = d.compositions(v)
		}).doc("Steps that states of the workflow run."),
		custom("pricing", mapOf(modelPriceFields), func(d *decoder, a *arenaFile, v *node.Node) {
			a.prices = d.modelPrices(v)
			for i := 0; v.Kind == node.Map && i+1 < len(v.Content); i += 2 {
				a.pricesAt = append(a.pricesAt, pricedModel{v.Content[i].Value, d.Pos(v.Content[i])})
			}
		}).doc("Prices of models in US dollars for a million tokens, by the name of the model. They come before the list " +
			"prices that arena knows, and behind the pricing in the file of a provider. They hold for agents, judges and " +
			"what programs tell in their traces. A model without any price has a cost that is not known."),
		custom("memory", memoryFields, readMemory).orNull().doc("Turns the memory tools on."),
		custom("runtime", runtimeFields, func(_ *decoder, a *arenaFile, v *node.Node) { a.runtime = v }).
			doc("What a runtime config holds."),
		slots("tts_providers").doc("Providers that speak; arena does not call them."),
		slots("stt_providers").doc("Providers that listen; arena does not call them."),
		slots("embedding_providers").doc("Providers of embeddings, for checks that compare meanings."),
		slots("image_providers").doc("Providers that make pictures."),
		idle[arenaFile]("voices", listOf(part("a voice",
			inside[struct{}]("id", text).must().doc("The name of the voice."),
			inside[struct{}]("provider", text).must().doc("The provider that speaks with it."),
		)), "this version does not support audio"),
		block[arenaFile]("state_store", stateStoreFields).doc("Where other tools keep the state of conversations."),
		idle[arenaFile]("agents", anyMap, "they are for deployment; conversations are with one prompt each"),
		remark[arenaFile]("deploy", anyMap).doc("How other tools deploy the project; arena does nothing with it."),
	}
}).strays(underDefaults)

// underDefaults is the hint for a key that belongs under defaults.
func underDefaults(key string) string {
	if defaultsFields.index(key) < 0 {
		return ""
	}
	return "put it below defaults: defaults: {" + key + ": …}"
}

var promptRefFields = table("an entry of prompt_configs", func() rows[promptRef] {
	return rows[promptRef]{
		custom("id", text, func(d *decoder, p *promptRef, v *node.Node) {
			if name, ok := d.Name(v, "id"); ok {
				p.id, p.idAt = name, v
			}
		}).doc("The name of the prompt in this config."),
		fileField("file", func(p *promptRef) *fileRef { return &p.fileRef }).must().doc("The file of the prompt."),
		givenMap("vars", func(p *promptRef) *map[string]string { return &p.vars },
			func(_ *decoder, p *promptRef, g givenVariable) { p.given = append(p.given, g) }).
			doc("Values for its {{placeholders}}."),
	}
})

var providerRefFields = table("an entry of providers", func() rows[providerRef] {
	return rows[providerRef]{
		fileField("file", func(p *providerRef) *fileRef { return &p.fileRef }).must().doc("The file of the provider."),
		custom("group", text, func(d *decoder, p *providerRef, v *node.Node) {
			p.group, _ = d.Name(v, "group")
			p.groupAt = v
		}).
			doc("A group other than default is only used by scenarios, judges and roles that ask for it. Left out: default; " +
				"but what a judge uses is not tested then, where other providers are."),
	}
})

var fileRefFields = table("an entry of the list", func() rows[fileRef] {
	return rows[fileRef]{
		fileField("file", func(f *fileRef) *fileRef { return f }).must().doc("The file, or a pattern of files."),
	}
})

func fileField[T any](name string, at func(*T) *fileRef) *field[T] {
	return custom(name, text, func(d *decoder, t *T, v *node.Node) {
		if path, ok := d.Name(v, name); ok {
			*at(t) = fileRef{path, v}
		}
	})
}

// fileRefs is a field with a list of {file: path} or paths.
func fileRefs(name string, at func(*arenaFile) *[]fileRef) *field[arenaFile] {
	return custom(name, listOf(fileRefFields), func(d *decoder, a *arenaFile, v *node.Node) {
		*at(a) = d.fileRefs(v, name)
	})
}

func (d *decoder) fileRefs(n *node.Node, what string) []fileRef {
	var refs []fileRef
	d.Items(n, what, func(_ int, v *node.Node) {
		ref := fileRef{at: v}
		if v.Kind == node.Scalar && !node.IsNull(v) {
			ref.path, _ = d.Name(v, "an entry of "+what)
		} else {
			fileRefFields.read(d, v, &ref)
		}
		if ref.path != "" {
			refs = append(refs, ref)
		}
	})
	return refs
}

// specs is a field with resources within the config: id → the values of a file's spec.
func specs(name string, of kind) *field[arenaFile] {
	return custom(name, mapOf(rawMap), func(d *decoder, a *arenaFile, v *node.Node) {
		d.Each(v, name, func(id string, k, spec *node.Node) {
			if spec.Kind != node.Map {
				d.Fields(spec, name+"."+id, nil, nil) // reports it
				return
			}
			meta := Meta{ID: id, Pos: d.Pos(k)}
			a.inline = append(a.inline, document{kind: of, meta: meta, file: d.File, root: spec, spec: spec})
		})
	})
}

// slots is a list of audio and image providers. Their files are read only when something uses them.
func slots(name string) *field[arenaFile] {
	return custom(name, listOf(providerRefFields), func(d *decoder, a *arenaFile, v *node.Node) {
		d.Items(v, name, func(_ int, item *node.Node) {
			var ref providerRef
			if providerRefFields.read(d, item, &ref) && ref.path != "" {
				a.providers = append(a.providers, ref)
			}
		})
	})
}

var judgeFields = table("a judge", func() rows[Judge] {
	return rows[Judge]{
		custom("name", text, func(d *decoder, j *Judge, v *node.Node) {
			j.Name, _ = d.Name(v, "name")
			j.Pos = d.Pos(v)
		}).must().doc("The name by which checks ask for the judge."),
		custom("provider", text, readJudgeProvider).must().doc("The provider whose model judges."),
	}
})

var judgeDefaultFields = table("judge_defaults", func() rows[arenaFile] {
	return rows[arenaFile]{
		custom("prompt", text, func(d *decoder, a *arenaFile, v *node.Node) {
			a.Defaults.JudgePrompt, _ = d.Name(v, "prompt")
			d.refer(toPromptID, v)
		}).doc("The prompt, by its id in prompt_configs, that takes the place of arena's own."),
		idle[arenaFile]("prompt_registry", text, "the prompt of judges is one of prompt_configs"),
	}
})

var judgeSpecFields = table("a judge", func() rows[Judge] {
	return rows[Judge]{
		custom("provider", text, readJudgeProvider).must().doc("The provider whose model judges."),
	}
})

func readJudgeProvider(d *decoder, j *Judge, v *node.Node) {
	j.Provider, _ = d.Name(v, "provider")
	d.refer(toProvider, v)
}

func readJudges(d *decoder, a *arenaFile, v *node.Node) {
	d.Items(v, "judges", func(_ int, item *node.Node) {
		var j Judge
		if item.Kind == node.Scalar && !node.IsNull(item) {
			d.WrongType(item, "a judge", "a map").Hint = "write {name: " + item.Value +
				", provider: …}, with a provider of this config"
			return
		}
		if judgeFields.read(d, item, &j) && j.Name != "" {
			a.judges = append(a.judges, j)
		}
	})
}

var selfPlayFields = table("self_play", func() rows[arenaFile] {
	return rows[arenaFile]{
		flag("enabled", func(a *arenaFile) *bool { return &a.selfPlay }).doc("Whether there is self-play."),
		fileRefs("personas", func(a *arenaFile) *[]fileRef { return &a.personas }).doc("The simulated users."),
		specs("persona_specs", kindPersona).doc("Personas written here, by id."),
		custom("roles", listOf(roleFields), readRoles).doc("The models that play personas."),
	}
})

var roleFields = table("a role", func() rows[Role] {
	return rows[Role]{
		custom("id", text, func(d *decoder, r *Role, v *node.Node) {
			r.ID, _ = d.Name(v, "id")
			r.Pos = d.Pos(v)
			if r.ID == "user" {
				d.Errorf(v, "wrong-role", `a role of self_play cannot be called "user": that is the scripted one`)
			}
		}).must().doc("The name that turns give as their role."),
		custom("provider", text, func(d *decoder, r *Role, v *node.Node) {
			r.Provider, _ = d.Name(v, "provider")
			d.refer(toProvider, v)
		}).must().doc("The provider whose model plays the role."),
	}
})

func readRoles(d *decoder, a *arenaFile, v *node.Node) {
	seen := map[string]int{}
	d.Items(v, "roles", func(_ int, item *node.Node) {
		var r Role
		if roleFields.read(d, item, &r) && r.ID != "" {
			d.unique(seen, node.Get(item, "id"), r.ID, "role")
			a.roles = append(a.roles, r)
		}
	})
}

var globalFields = table("globals", func() rows[arenaFile] {
	return rows[arenaFile]{
		assertions("conversation_assertions", ConversationAssertion, func(a *arenaFile) *[]Placed { return &a.globals }).
			doc("Checks over every whole conversation."),
	}
})

// memoryFile is the memory section of a config.
type memoryFile struct{ off bool }

// memoryFields are the keys of memory. Keys of other tools are allowed and have no effect.
var memoryFields = table("memory", func() rows[memoryFile] {
	return rows[memoryFile]{
		custom("enabled", boolean, func(d *decoder, m *memoryFile, v *node.Node) {
			on, ok := d.Bool(v, "enabled")
			m.off = ok && !on
		}).usual("true").preset("true").doc("Whether the agent has the tools."),
	}
}).open()

// readMemory notes that the memory tools are on, unless memory is absent or switched off.
func readMemory(d *decoder, a *arenaFile, v *node.Node) {
	var m memoryFile
	if node.IsNull(v) {
		d.Warnf(v, NoEffect, "memory is null: there are no memory tools").Hint =
			"write memory: {} to offer them, or take the line out"
		return
	}
	if !memoryFields.read(d, v, &m) {
		return
	}
	for i := 0; i+1 < len(v.Content); i += 2 {
		k, known := v.Content[i], memoryFields.names()
		switch {
		case slices.Contains(known, k.Value):
		case diag.Nearest(k.Value, known) != "":
			d.Foreignf(k, "misspelled-field", "unknown field %q in memory", k.Value).Hint = diag.DidYouMean(k.Value, known)
		default:
			d.Warnf(k, NoEffect, "memory.%s has no effect: every trial has a memory of its own, which lasts as long as it does",
				k.Value)
		}
	}
	a.memory = !m.off
}

const inMemory = "the state of a run is kept in memory"

var stateStoreFields = table("state_store", func() rows[struct{}] {
	return rows[struct{}]{
		idle[struct{}]("type", words("memory", "redis", "file"), inMemory, "memory"),
		idle[struct{}]("redis", anyMap, inMemory),
		idle[struct{}]("file", anyMap, inMemory),
	}
})

// arena reads a document of kind Arena.
func (d *decoder) arena(doc document) *arenaFile {
	a := &arenaFile{}
	if !arenaFields.read(d, doc.spec, a) {
		return nil
	}
	a.nothing = true
	for _, key := range []string{"scenarios", "scenario_specs", "evals", "eval_specs"} {
		a.nothing = a.nothing && node.Get(doc.spec, key) == nil
	}
	seen := map[string]diag.Pos{}
	for _, j := range a.judges {
		if first, twice := seen[j.Name]; twice {
			d.Diags.Errorf(j.Pos, len(j.Name), "duplicate-id", "the judge %q is already defined at %s", j.Name, first)
		}
		seen[j.Name] = j.Pos
	}
	return a
}
