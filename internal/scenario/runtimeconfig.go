package scenario

import (
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// runtimeFile is what a RuntimeConfig adds to a project.
type runtimeFile struct {
	tools     []document
	providers []document
	handlers  []*Handler
	servers   []*Server
	listed    *node.Node // the providers
}

// runtimeFields are the keys of kind RuntimeConfig, and of runtime in an arena config.
var runtimeFields = table("a runtime config", func() rows[runtimeFile] {
	return rows[runtimeFile]{
		custom("providers", listOf(providerFields), func(d *decoder, r *runtimeFile, v *node.Node) {
			r.listed = v
			d.Items(v, "providers", func(_ int, item *node.Node) {
				if item.Kind != node.Map {
					d.Fields(item, "a provider", nil, nil) // reports it
					return
				}
				doc := document{kind: kindProvider, file: d.File, root: item, spec: item, bare: true}
				d.name(&doc, nil)
				r.providers = append(r.providers, doc)
			})
		}).doc("The models to run against, written here."),
		serviceProviders("embedding_providers"), serviceProviders("tts_providers"), serviceProviders("stt_providers"),
		serviceProviders("inference_providers"),
		custom("tools", mapOf(toolFields), func(d *decoder, r *runtimeFile, v *node.Node) {
			d.Each(v, "tools", func(name string, k, spec *node.Node) {
				if spec.Kind != node.Map {
					d.Fields(spec, "tools."+name, nil, nil) // reports it
					return
				}
				meta := Meta{ID: name, Pos: d.Pos(k)}
				r.tools = append(r.tools, document{kind: kindTool, meta: meta, file: d.File, root: spec, spec: spec})
			})
		}).doc("The tools of the agents, by name."),
		custom("mcp_servers", listOf(serverFields), func(d *decoder, r *runtimeFile, v *node.Node) {
			r.servers = d.servers(v)
		}).doc("Servers whose tools are offered, over MCP."),
		block[runtimeFile]("state_store", stateStoreFields).doc("Where other tools keep the state of conversations."),
		idle[runtimeFile]("logging", loggingFields, ownLogging),
		custom("evals", mapOf(handlerFields), readHandlers).doc("Programs that are types of checks, by type."),
		laterMap("hooks", "hooks", hookFields).doc("Programs that are asked at certain moments."),
		laterMap("sandboxes", "sandboxes", part("a sandbox", inside[struct{}]("mode", text).must().
			doc("What keeps the programs in.")).open()).
			doc("Where programs are run."),
		laterMap("selectors", "selectors", part("a selector",
			inside[struct{}]("command", text).must().doc("The program that chooses."),
			inside[struct{}]("args", texts).doc("Its arguments."),
			inside[struct{}]("env", texts).doc("Its environment: NAME=value, or NAME to pass a variable on."),
			inside[struct{}]("timeout_ms", natural).doc("How long it may take, in milliseconds."),
			inside[struct{}]("sandbox", text).doc("The sandbox in which it runs, by name."),
		)).doc("Programs that choose what a model is offered."),
		block[runtimeFile]("skills", part("skills", selector[struct{}]("selector").
			doc("The selector that chooses skills."))).doc("How skills are chosen."),
		selector[runtimeFile]("tool_selector").doc("The selector that chooses tools."),
	}
})

func serviceProviders(name string) *field[runtimeFile] {
	return idle[runtimeFile](name, listOf(serviceProviderFields), "name them below providers, with their role")
}

var serviceProviderFields = table("a provider", func() rows[struct{}] {
	return rows[struct{}]{
		inside[struct{}]("id", text).doc("The name of the provider."),
		inside[struct{}]("type", text).must().doc("The API that it speaks."),
		inside[struct{}]("model", text).doc("The model that is asked."),
		inside[struct{}]("base_url", text).doc("The address of its server."),
		inside[struct{}]("credential", anyMap).doc("Where its key comes from."),
		inside[struct{}]("platform", anyMap).doc("The cloud that hosts its model."),
		inside[struct{}]("additional_config", anyMap).doc("Settings of its type."),
	}
})

// selector is a field with a program that chooses the offered tools, which arena cannot run yet.
func selector[T any](name string) *field[T] {
	return custom(name, text, func(d *decoder, _ *T, v *node.Node) {
		d.Name(v, name)
		d.need("selectors", v, Feature{})
	}).later("selectors")
}

// laterMap is a field with a map for a feature that arena does not have yet.
func laterMap(name, feature string, of keys.Shape) *field[runtimeFile] {
	return custom(name, mapOf(of), func(d *decoder, _ *runtimeFile, v *node.Node) {
		mapOf(of).Check(d, v, name)
		if v.Kind == node.Map && len(v.Content) > 0 {
			d.need(feature, v, Feature{})
		}
	}).later(feature)
}

var hookFields = table("a hook", func() rows[struct{}] {
	return rows[struct{}]{
		inside[struct{}]("command", text).must().doc("The program that is asked."),
		inside[struct{}]("args", texts).doc("Its arguments."),
		inside[struct{}]("env", texts).doc("Its environment: NAME=value, or NAME to pass a variable on."),
		inside[struct{}]("timeout_ms", natural).doc("How long it may take, in milliseconds."),
		inside[struct{}]("runtime", words("exec", "server")).
			doc("Whether the program is started for each question, or keeps running."),
		inside[struct{}]("sandbox", text).doc("The sandbox in which it runs, by name."),
		inside[struct{}]("hook", words("provider", "tool", "session", "eval")).must().doc("What it is asked about."),
		inside[struct{}]("phases", texts).doc("The moments at which it is asked."),
		inside[struct{}]("mode", words("filter", "observe")).doc("Whether it decides, or only watches."),
	}
})

// runtime reads a runtime config.
func (d *decoder) runtime(n *node.Node) *runtimeFile {
	r := &runtimeFile{}
	if !runtimeFields.read(d, n, r) {
		return nil
	}
	return r
}

const ownLogging = "use -v or -q"

// loggingFields are the keys of kind Logging. Arena has flags for that; the file is only checked.
var loggingFields = table("logging", func() rows[struct{}] {
	return rows[struct{}]{
		inside[struct{}]("id", text).doc("The name of the file, where metadata has none."),
		inside[struct{}]("name", text).doc("The name of the file, where metadata has none."),
		inside[struct{}]("defaultLevel", logLevels).doc("The lowest level that other tools log."),
		inside[struct{}]("format", words("json", "text")).doc("How other tools write their log."),
		inside[struct{}]("commonFields", textMap).doc("What other tools write into each line of their log."),
		inside[struct{}]("modules", listOf(part("a module",
			inside[struct{}]("name", text).must().doc("The part of the other tool."),
			inside[struct{}]("level", logLevels).must().doc("The lowest level that the part logs."),
			inside[struct{}]("fields", textMap).doc("What is written into each line of the part."),
		))).doc("Levels of single parts of other tools."),
	}
})

var logLevels = words("trace", "debug", "info", "warn", "error")
