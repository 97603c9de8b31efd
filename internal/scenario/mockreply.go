package scenario

import (
	"encoding/base64"
	"path"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/node"
)

// mockReplyFile is a canned reply as written in a file.
type mockReplyFile struct {
	MockReply
	kind, content, calls, parts *node.Node
	audio, audioType            string
	chance                      float64 // of a reply of one_of
}

// mockTurnFields are the keys of one canned reply.
var mockTurnFields = table("a mock reply", func() rows[mockReplyFile] {
	return append(mockReplyRows(),
		custom("one_of", listOf(mockChoiceFields), readOneOf).doc("Replies of which each trial draws one, each with its "+
			"chance, in place of all other keys. The same trial with the same seed draws the same."))
}).shows("{content: …}")

// mockReplyRows are the keys of one fixed reply.
func mockReplyRows() rows[mockReplyFile] {
	return rows[mockReplyFile]{
		custom("type", words("text", "tool_calls", "multimodal"), func(d *decoder, r *mockReplyFile, v *node.Node) {
			r.kind = v
			d.OneOf(v, "type", "text", "tool_calls", "multimodal")
		}).doc("What the reply is. Only a multimodal one has its parts beside a text of its own; else the other keys say " +
			"the same."),
		custom("content", text, readMockText("content")).doc("The text of the reply."),
		custom("text", text, readMockText("text")).doc("The same as content."),
		custom("response", text, readMockText("response")).doc("The same as content."),
		custom("tool_calls", listOf(mockCallFields), func(d *decoder, r *mockReplyFile, v *node.Node) {
			r.calls = v
			d.Items(v, "tool_calls", func(_ int, item *node.Node) {
				var c mockCall
				if mockCallFields.read(d, item, &c) {
					c.check(d, item)
					c.note(d, item)
					r.add(&c, d.Pos(item))
				}
			})
		}).doc("The tools that the reply calls."),
		custom("parts", listOf(mockPartFields), func(d *decoder, r *mockReplyFile, v *node.Node) {
			r.parts = v
			d.Items(v, "parts", func(_ int, item *node.Node) {
				if p, at, ok := d.mockPart(item); ok {
					r.Parts, r.PartPos = append(r.Parts, p), append(r.PartPos, at)
				}
			})
		}).doc("Texts and media of the reply."),
		label("audio_file", func(r *mockReplyFile) *string { return &r.audio }).
			doc("A file with sound that the reply brings."),
		label("audio_mime_type", func(r *mockReplyFile) *string { return &r.audioType }).preset("audio/pcm").
			doc("The type of that file."),
		idle[mockReplyFile]("audio_sample_rate", counting, "this version does not support audio"),
		label("error", func(r *mockReplyFile) *string { return &r.Error }).doc("The call fails with this text."),
		word("error_kind", words("auth", "rate_limit", "timeout", "transport", "bad_reply", "refused"),
			func(r *mockReplyFile) *string { return &r.ErrorKind }).doc("What kind of failure the error is."),
		custom("latency_ms", positive, func(d *decoder, r *mockReplyFile, v *node.Node) {
			if ms, ok := d.Float(v, "latency_ms", 0, float64(time.Hour/time.Millisecond)); ok {
				r.Latency = time.Duration(ms * float64(time.Millisecond))
			}
		}).doc("How long the reply takes, in milliseconds. The mock waits for so long. Left out: no time."),
		word("finish_reason", words("stop", "length", "tool_calls", "content_filter"),
			func(r *mockReplyFile) *string { return &r.FinishReason }).
			doc("Why the model stopped; what fits the reply when left out."),
		objectPtr("usage", part("usage",
			integer("input_tokens", natural, func(u *chat.Usage) *int { return &u.InputTokens }).doc("Tokens of the request."),
			integer("output_tokens", natural, func(u *chat.Usage) *int { return &u.OutputTokens }).doc("Tokens of the reply."),
			integer("cached_tokens", natural, func(u *chat.Usage) *int { return &u.CachedTokens }).
				doc("Tokens of the request that were read from a cache."),
			integer("cache_write_tokens", natural, func(u *chat.Usage) *int { return &u.CacheWriteTokens }).
				doc("Tokens of the request that were written into a cache."),
			integer("reasoning_tokens", natural, func(u *chat.Usage) *int { return &u.ReasoningTokens }).
				doc("Tokens of the reply that were thought."),
		), func(r *mockReplyFile) **chat.Usage { return &r.Usage }).
			doc("The tokens that the reply took; they are estimated when left out."),
		numPtr("cost_usd", price, func(r *mockReplyFile) **float64 { return &r.CostUSD }).
			doc("What the reply cost, in US dollars."),
	}
}

func readMockText(name string) func(*decoder, *mockReplyFile, *node.Node) {
	return func(d *decoder, r *mockReplyFile, v *node.Node) {
		if r.content != nil {
			d.Errorf(v, "duplicate-key", "the reply has its text on line %d already", r.content.Line).
				Hint = "content, text and response mean the same; keep one"
		}
		r.content = v
		r.Content, _ = d.String(v, name)
	}
}

// mockReply reads a text, or a map with text, tool calls, parts or an error.
func (d *decoder) mockReply(n *node.Node) MockReply {
	switch {
	case node.IsNull(n):
		d.Errorf(n, "empty-value", "the reply has no value")
		return MockReply{}
	case n.Kind == node.Scalar:
		d.cutText("the reply", n)
		d.swallowedReply(n)
		return MockReply{Content: n.Value}
	}
	var r mockReplyFile
	before := d.Diags.Errors()
	if !mockTurnFields.read(d, n, &r) {
		return r.MockReply
	}
	if node.Get(n, "one_of") != nil {
		d.aloneWithOneOf(n)
		return MockReply{OneOf: r.OneOf}
	}
	d.checkMockReply(n, &r, before)
	return r.MockReply
}

// checkMockReply reports missing keys of a reply. before is the number of errors before it was read.
func (d *decoder) checkMockReply(n *node.Node, r *mockReplyFile, before int) {
	switch {
	case d.Diags.Errors() > before: // the missing key may be a misspelled one
	case r.content == nil && r.calls == nil && r.parts == nil && r.audio == "" && r.Error == "":
		d.Missing(n, "a mock reply", "content, tool_calls, parts or error")
	case r.kind != nil && r.kind.Value == "tool_calls" && r.calls == nil:
		d.Missing(n, "a mock reply of type tool_calls", "tool_calls")
	case r.ErrorKind != "" && r.Error == "":
		d.Missing(n, "a mock reply with error_kind", "error")
	case r.audioType != "" && r.audio == "":
		d.Missing(n, "a mock reply with audio_mime_type", "audio_file")
	}
	if r.parts != nil && r.content != nil && (r.kind == nil || r.kind.Value == "text") && len(r.Parts) > 0 {
		d.Warnf(r.parts, NoEffect, "parts have no effect beside a text, in a reply that is not of type multimodal").Hint =
			"write type: multimodal, or take out the text or the parts"
		r.Parts, r.PartPos = nil, nil
	}
	if r.kind != nil && r.kind.Value == "multimodal" && r.parts == nil && r.audio == "" {
		d.Warnf(r.kind, NoEffect, "type: multimodal has no effect: the reply has no parts").Hint = "add parts, or take it out"
	}
	if r.audio != "" {
		r.Parts = append(r.Parts, d.mockAudio(n, r))
		r.PartPos = append(r.PartPos, d.Pos(node.Get(n, "audio_file")))
	}
}

func (d *decoder) mockAudio(n *node.Node, r *mockReplyFile) chat.Part {
	file := d.besides(r.audio)
	if !d.places.fs.exists(file) {
		d.Errorf(node.Get(n, "audio_file"), "missing-file", "there is no file %q", file)
	}
	if r.audioType == "" {
		r.audioType = "audio/pcm"
	}
	return chat.Part{Type: "audio", Media: &chat.Media{
		MIMEType: r.audioType, Path: d.places.fs.access(file), Local: true,
	}}
}

// mockPart is a part of a canned reply: text, or a medium with a description and no data.
type mockPart struct {
	kind, text, url, detail string
	meta                    map[string]string
	media                   *chat.Media
	mediaAt                 *node.Node
}

var mockPartFields = table("a part", func() rows[mockPart] {
	return rows[mockPart]{
		word("type", partTypes, func(p *mockPart) *string { return &p.kind }).must().doc("What the part is."),
		str("text", func(p *mockPart) *string { return &p.text }).doc("The text of a part of type text."),
		mockURL("image_url").doc("Where a picture is."), mockURL("audio_url").doc("Where a sound is."),
		mockURL("video_url").doc("Where a video is."), mockURL("document_url").doc("Where a document is."),
		strMap("metadata", func(p *mockPart) *map[string]string { return &p.meta }).
			doc("What is known of the medium: mime_type, format, width, height, duration, caption."),
		custom("media", mediaFields, func(d *decoder, p *mockPart, v *node.Node) {
			var m mediaFile
			if mediaFields.read(d, v, &m) {
				p.media, p.mediaAt = d.source(v, &m), m.at(v)
				d.closed(&m)
			}
		}).doc("The medium itself."),
	}
})

func mockURL(name string) *field[mockPart] {
	return custom(name, mockURLFields, func(d *decoder, p *mockPart, v *node.Node) { mockURLFields.read(d, v, p) })
}

var mockURLFields = table("a media address", func() rows[mockPart] {
	return rows[mockPart]{
		label("url", func(p *mockPart) *string { return &p.url }).must().doc("The address of the medium."),
		str("detail", func(p *mockPart) *string { return &p.detail }).doc("How closely it is to be looked at."),
	}
})

func (d *decoder) mockPart(n *node.Node) (_ chat.Part, at diag.Pos, ok bool) {
	var p mockPart
	if !mockPartFields.read(d, n, &p) {
		return chat.Part{}, at, false
	}
	if at := node.Get(n, "text"); at != nil && p.kind != "text" && p.kind != "" {
		d.Warnf(at, NoEffect, "text has no effect in a part of type %s", p.kind)
	}
	if at = d.Pos(n); p.media != nil {
		at = d.Pos(p.mediaAt)
		d.mediumFits(node.Get(n, "media"), p.kind, p.media)
	}
	part := p.part()
	if m := part.Media; m != nil && m.Data != "" {
		if _, err := base64.StdEncoding.DecodeString(m.Data); err != nil && p.media == nil {
			d.Errorf(n, "wrong-type", "the data in the address must be base64")
		}
	}
	return part, at, true
}

// part describes the medium by its metadata and its address.
func (p *mockPart) part() chat.Part {
	if p.kind == "text" {
		return chat.Part{Type: p.kind, Text: p.text}
	}
	if p.media != nil {
		return chat.Part{Type: p.kind, Media: p.media}
	}
	m := &chat.Media{URL: p.url, Detail: p.detail, MIMEType: p.meta["mime_type"], Caption: p.meta["caption"]}
	if head, data, inline := strings.Cut(p.url, ";base64,"); inline && strings.HasPrefix(head, "data:") {
		m.URL, m.Data = "", strings.Join(strings.Fields(data), "")
	}
	if m.MIMEType == "" {
		m.MIMEType = p.mimeType()
	}
	m.Width, m.Height = integerOf(p.meta["width"]), integerOf(p.meta["height"])
	m.Duration = numberOf(p.meta["duration"])
	if m.Duration == 0 {
		m.Duration = numberOf(p.meta["duration_seconds"])
	}
	return chat.Part{Type: p.kind, Media: m}
}

// mimeType is the type from the metadata or from the extension of the address.
func (p *mockPart) mimeType() string {
	format := p.meta["format"]
	if format == "" {
		address, _, _ := strings.Cut(p.url, "?")
		if head, _, inline := strings.Cut(address, ";base64,"); inline && strings.HasPrefix(head, "data:") {
			return strings.TrimPrefix(head, "data:")
		}
		format = path.Ext(address)
	}
	name := media.Name(p.kind, format)
	switch known := media.TypeOf(name); {
	case strings.Contains(format, "/"):
		return strings.ToLower(format)
	case name == "":
		return "application/octet-stream"
	case known != "" && media.KindOf(known) == p.kind:
		return known
	case p.kind == "document":
		return "application/" + name
	}
	return p.kind + "/" + name
}
