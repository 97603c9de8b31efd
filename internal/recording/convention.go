package recording

import "strings"

// convention is a format of other tools that arena recognises but does not read. A file of it is refused by name.
type convention struct {
	name   string
	detect func(h *head) bool
	advice string
}

// conventions returns the formats that are recognised only to be refused, in the order in which they are tried.
func conventions() []convention {
	isList := func(h *head) bool { return h.kind == '[' }
	inData := func(h *head, keys ...string) bool {
		for item := range h.keys["data"].items {
			for _, key := range keys {
				if item.get(key).kind() == 0 {
					return false
				}
			}
			return true
		}
		return false
	}
	return []convention{
		{
			name:   "traces of Jaeger",
			detect: func(h *head) bool { return inData(h, "traceid", "spans") || h.has("traceid", "spans", "processes") },
			advice: "export the traces over OTLP, such as by a collector that writes them to a file",
		},
		{
			name: "spans of Zipkin",
			detect: func(h *head) bool {
				return isList(h) && h.has("traceid", "id") && (h.has("localendpoint") || h.has("annotations"))
			},
			advice: "export the spans over OTLP, such as by a collector that writes them to a file",
		},
		{
			name:   "results of kensa",
			detect: func(h *head) bool { return h.has("scenarioid", "checkresults") },
			advice: "they do not hold what the agent said: read the traces, which each result names in trace.path",
		},
		{
			name:   "logs or metrics of OpenTelemetry",
			detect: func(h *head) bool { return h.has("resourcelogs") || h.has("resourcemetrics") },
			advice: "conversations stand in its traces: export those",
		},
		{
			name:   "an export of ChatGPT",
			detect: func(h *head) bool { return h.has("mapping", "currentnode") },
			advice: `write each conversation as {"messages": [{"role": …, "content": …}]}, a line each`,
		},
		{
			name:   "contents of Gemini",
			detect: func(h *head) bool { return h.has("contents") || h.has("candidates") },
			advice: `write each conversation as {"messages": [{"role": …, "content": …}]}, a line each`,
		},
		{
			name:   "data for training in the form of Alpaca",
			detect: func(h *head) bool { return h.has("instruction", "output") },
			advice: `write each pair as {"messages": [{"role": "user", …}, {"role": "assistant", …}]}, a line each`,
		},
		{
			name:   "data for training by preference",
			detect: func(h *head) bool { return h.has("chosen", "rejected") },
			advice: "keep the reply that was given, as a message of the assistant",
		},
	}
}

// spanConventions lists the attribute prefixes of other conventions for spans, and the tools that write them.
var spanConventions = []struct{ prefix, name string }{
	{"ai.", "the Vercel AI SDK"},
	{"mlflow.", "MLflow"},
	{"langfuse.", "Langfuse"},
	{"langsmith.", "LangSmith"},
	{"pydantic_ai.", "Pydantic AI"},
	{"all_messages", "Pydantic AI"},
	{"traceloop.", "OpenLLMetry"},
	{"lk.", "LiveKit"},
	{"gcp.vertex.agent.", "Google's Agent Development Kit"},
}

// conventionOf names the tool that wrote the attributes of a span; "": it is not known.
func conventionOf(attributes value) string {
	for _, known := range spanConventions {
		for attr := range attributes.items {
			if key, _ := attr.get("key").str(); strings.HasPrefix(key, known.prefix) {
				return known.name
			}
		}
		for key := range attributes.members {
			if strings.HasPrefix(string(key), known.prefix) {
				return known.name
			}
		}
	}
	return ""
}

// named returns the convention of a file that arena does not read; nil: it is not known.
func (h *head) named() *convention {
	for _, c := range conventions() {
		if c.detect(h) {
			return &c
		}
	}
	return nil
}
