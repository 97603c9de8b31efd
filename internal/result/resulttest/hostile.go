package resulttest

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// Poison is what a hostile model may answer: an end of every format that a report is written in, terminal escapes,
// control characters, invisible and direction-changing characters, and bytes that are no UTF-8.
const Poison = "</script><script>alert(1)</script><!-- <![CDATA[ ]]> --> <img src=x onerror=alert(2)> " +
	"\x1b[31mred\x1b[0m \x1b]8;;https://evil.example\x07link\x1b]8;;\x07 \x00\x07\x08\x7f \xff\xfe " +
	"\u202egnp.exe\u202c \u2028\u2029 \u200b\ufeff \u0085 \U000E0041 e\u0301\u0301\u0301\u0301 日本語 👩‍👩‍👧 " +
	"[click](javascript:alert(3)) javascript:alert(4) | a | b | ``` ~~~~ <details> @everyone #1 " +
	"::error file=x,line=1::pwned %0A::set-output name=a::b\r\n$(rm -rf /) `id` ${HOME} {{.}} %s%n ' \" \\ &amp; &#60;"

// Sealed is opaque data of a provider, which no report may show.
const Sealed = "signature-of-a-thought"

// opaque is the state of a provider.
func opaque() *chat.Opaque {
	return &chat.Opaque{From: "anthropic/claude", Data: []byte(`[{"type":"thinking","signature":"` + Sealed + `"}]`)}
}

// Hostile is a run whose every text comes from an enemy, names and places included.
func Hostile() *result.Run {
	run := NewRun("hostile "+Poison, poisoned(), misshapen(), huge(), pictures())
	run.Warnings, run.Coverage = []string{Poison}, hostileCoverage()
	return run
}

func poisoned() *result.Trial {
	reply := agentReply(Poison)
	reply.State, reply.Opaque = Poison, opaque()
	reply.Validations = []chat.Validation{{
		Type: Poison, Details: jsonvalue.Object{Poison: Poison, "action": "constructor"},
	}}
	reply.Original = &chat.Original{Content: Poison, ToolCalls: []chat.ToolCall{{Name: Poison, BadArgs: Poison}}}
	t := turn(Poison,
		calls("call_1", Poison, jsonvalue.Object{Poison: Poison, "__proto__": jsonvalue.Object{"polluted": true}}),
		returns("call_1", Poison, Poison), reply)
	t.Messages[1].ToolCalls[0].Opaque = opaque()
	t.Trace = &chat.Trace{Notice: Poison, LeftOut: 1, Spans: []chat.TraceSpan{
		{Name: Poison, Kind: "model", Model: Poison, Output: Poison, Error: Poison, Depth: 3, StartMS: new(1.5)},
		{Name: "__proto__", Kind: "other", Depth: 1000, StartMS: new(1e12), DurationMS: 1e14, CostUSD: new(1e-9)},
	}}
	v := failed(Poison, "../../etc/passwd\n::error::", 1, 0, Poison)
	v.Message, v.Details = Poison, jsonvalue.Object{"constructor": Poison, Poison: []any{Poison, nil, true}}
	t.Assertions = []result.Verdict{v, broken(Poison, "scenarios/"+Poison, 2, Poison), misjudged()}
	t.Guardrails = []result.Firing{{Verdict: v, Direction: "output", Action: result.Cut, MessageIndex: 3}}
	out := trial("scenarios/"+Poison+".yaml", 1, "evil/../"+Poison, "prov\"ider #?%&="+Poison, t)
	out.Workflow = hostileFlow()
	out.System, out.Tags, out.Describe = Poison, []string{Poison, "a b", "__proto__"}, Poison
	out.Labels, out.Variant = map[string]string{Poison: Poison}, map[string]string{"tone": Poison}
	out.Error, out.Notices = Poison, []string{Poison}
	out.Conversation = []result.Verdict{skipped("contains", refundFile, 3, Poison)}
	return out
}

// misjudged is a verdict whose judge is an enemy: it reasons in every format at once, replies without end, and what it
// says of itself is not to be trusted.
func misjudged() result.Verdict {
	v := failed("llm_judge", refundFile, 4, 0, Poison)
	v.MinScore = new(0.5)
	v.Details = jsonvalue.Object{"criteria": Poison, "reasoning": Poison, "__proto__": Poison}
	v.Judgements = []result.Judgement{
		{
			Key: Poison, Judge: Poison, Provider: Poison, Model: Poison, Vote: 1, Criteria: Poison, Rubric: Poison,
			System: Poison, Prompt: Poison, Reply: Poison, Error: Poison, LatencyMS: 12,
		}, {
			Key: Poison + "again", Judge: Poison, Provider: Poison, Model: Poison, Vote: 1, Repair: true, Prompt: Poison,
			Reply: strings.Repeat(Poison, 200), Score: new(0.0), Reasoning: Poison,
			Usage: chat.Usage{InputTokens: 1 << 40, OutputTokens: 1, Estimated: true},
		},
		{Vote: 2}, {Vote: 3, Score: new(1.0)}, // nothing is known of them
	}
	return v
}

// misshapen is a transcript that no honest provider sends: no ids, calls without results, results without calls,
// arguments that are no JSON, numbers beyond a float, deep nesting.
func misshapen() *result.Trial {
	call := chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{
		{Name: "no_id", BadArgs: `{"order_id": "A-10`},
		{ID: "twice", Name: "first", Args: chat.Args{"id": jsonNumber("12345678901234567890")}},
		{ID: "twice", Name: "second", Args: nest(60)},
	}}
	t := turn("", call, breaks("twice", "first", "tool not found\n"+strings.Repeat("at frame ", 40)),
		returns("unasked", "nobody_called", "[1,2,3]"), chat.Message{Role: "narrator", Content: "a role nobody knows"})
	t.Assertions = []result.Verdict{{Type: "json_path", Status: result.Errored}} // no score, no text, no place
	out := trial("", 0, "misshapen", "", t)
	out.Model, out.ID, out.Position = "", "misshapen//default", diag.Pos{}
	out.CostUSD = nil
	return out
}

func huge() *result.Trial {
	t := turn("Tell me everything.\n"+strings.Repeat("and then? ", 40),
		agentReply(strings.Repeat("All work and no play makes a long reply. ", 6000)),
	)
	t.Assertions = []result.Verdict{
		failed("max_length", "scenarios/huge.yaml", 7, 0,
			"246,000 of at most 400 characters; "+strings.Repeat("x", 5000)),
	}
	out := trial("scenarios/huge.yaml", 2, "a-scenario-with-"+strings.Repeat("a-very-", 30)+"long-name", "mock", t)
	out.System = strings.Repeat("Rule: be brief.\n", 500)
	return out
}

// pictures holds media: one real image and sound, and several that must not be shown or followed.
func pictures() *result.Trial {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
	media := func(typ, mime, data, url string) chat.Part {
		return chat.Part{Type: typ, Media: &chat.Media{MIMEType: mime, Data: data, URL: url, Caption: Poison}}
	}
	user := chat.Message{Role: chat.User, Parts: []chat.Part{
		{Type: "text", Text: "What is on these pictures?"},
		media("image", "image/png", pixel, ""),
		media("audio", "audio/wav", silence, ""),
		media("image", "image/svg+xml", "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+", ""),
		media("image", "text/html;base64,\"><script>", pixel, ""),
		media("image", "image/png", "\"><script>alert(1)</script>", ""),
		media("image", "image/png", "", "javascript:alert(1)"),
		media("image", "image/png", "", "https://tracker.example/pixel.png"),
		{Type: "document", Media: &chat.Media{MIMEType: "application/pdf", Path: "../../secret.pdf"}},
		{Type: "image"},
	}}
	t := turn("What is on these pictures?", agentReply("A lamp."))
	t.Messages[0] = user
	t.Assertions = []result.Verdict{passed("contains", "scenarios/pictures.yaml", 9, `found "lamp"`)}
	return trial("scenarios/pictures.yaml", 2, "pictures", "mock", t)
}

func nest(depth int) jsonvalue.Object {
	m := jsonvalue.Object{"bottom": true}
	for range depth {
		m = jsonvalue.Object{"in": m}
	}
	return m
}
