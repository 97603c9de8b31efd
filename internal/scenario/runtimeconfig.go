package scenario

import (
	"github.com/arena-evals/arena/internal/node"
)

// runtimeFile is what a RuntimeConfig adds to a project.
type runtimeFile struct {
	tools     []document
	providers []document
	handlers  []*Handler
	listed    *node.Node // the providers
}

// runtimeFields are the keys of kind RuntimeConfig, and of runtime in an arena config.
var runtimeFields = table("a runtime config", func() rows[runtimeFile] {
	return rows[runtimeFile]{
		custom("providers", listShape{providerFields}, func(d *decoder, r *runtimeFile, v *node.Node) {
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
		}),
		serviceProviders("embedding_providers"), serviceProviders("tts_providers"), serviceProviders("stt_providers"),
		serviceProviders("inference_providers"),
		custom("tools", mapShape{toolFields}, func(d *decoder, r *runtimeFile, v *node.Node) {
			d.Each(v, "tools", func(name string, k, spec *node.Node) {
				if spec.Kind != node.Map {
					d.Fields(spec, "tools."+name, nil, nil) // reports it
					return
				}
				meta := Meta{ID: name, Pos: d.Pos(k)}
				r.tools = append(r.tools, document{kind: kindTool, meta: meta, file: d.File, root: spec, spec: spec})
			})
		}),
		custom("mcp_servers", listShape{mcpFields}, func(d *decoder, _ *runtimeFile, v *node.Node) { d.mcpServers(v) }),
		drop[runtimeFile]("state_store", stateStoreFields),
		drop[runtimeFile]("logging", loggingFields),
		custom("evals", mapShape{handlerFields}, readHandlers),
		laterMap("hooks", "hooks", hookFields),
		laterMap("sandboxes", "sandboxes", part("a sandbox", drop[struct{}]("mode", text).must()).open()),
		laterMap("selectors", "selectors", part("a selector",
			drop[struct{}]("command", text).must(),
			drop[struct{}]("args", texts),
			drop[struct{}]("env", texts),
			drop[struct{}]("timeout_ms", natural),
			drop[struct{}]("sandbox", text),
		)),
		drop[runtimeFile]("skills", part("skills", drop[struct{}]("selector", text))),
		drop[runtimeFile]("tool_selector", text),
	}
})

func serviceProviders(name string) field[runtimeFile] {
	return drop[runtimeFile](name, listShape{part("a provider",
		drop[struct{}]("id", text),
		drop[struct{}]("type", text).must(),
		drop[struct{}]("model", text),
		drop[struct{}]("base_url", text),
		drop[struct{}]("credential", anyMap),
		drop[struct{}]("platform", anyMap),
		drop[struct{}]("additional_config", anyMap),
	)})
}

// laterMap is a field with a map of things that arena does not have yet.
func laterMap(name, feature string, of shape) field[runtimeFile] {
	return custom(name, mapShape{of}, func(d *decoder, _ *runtimeFile, v *node.Node) {
		mapShape{of}.check(d, v, name)
		if v.Kind == node.Map && len(v.Content) > 0 {
			d.need(feature, v, Feature{})
		}
	})
}

var hookFields = table("a hook", func() rows[struct{}] {
	return rows[struct{}]{
		drop[struct{}]("command", text).must(),
		drop[struct{}]("args", texts),
		drop[struct{}]("env", texts),
		drop[struct{}]("timeout_ms", natural),
		drop[struct{}]("runtime", words("exec", "server")),
		drop[struct{}]("sandbox", text),
		drop[struct{}]("hook", words("provider", "tool", "session", "eval")).must(),
		drop[struct{}]("phases", texts),
		drop[struct{}]("mode", words("filter", "observe")),
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

// loggingFields are the keys of kind Logging. Arena has its own flags for that; the file is checked and dropped.
var loggingFields = table("logging", func() rows[struct{}] {
	return rows[struct{}]{
		drop[struct{}]("id", text),
		drop[struct{}]("name", text),
		drop[struct{}]("defaultLevel", logLevels),
		drop[struct{}]("format", words("json", "text")),
		drop[struct{}]("commonFields", textMap),
		drop[struct{}]("modules", listShape{part("a module",
			drop[struct{}]("name", text).must(),
			drop[struct{}]("level", logLevels).must(),
			drop[struct{}]("fields", textMap),
		)}),
	}
})

var logLevels = words("trace", "debug", "info", "warn", "error")
