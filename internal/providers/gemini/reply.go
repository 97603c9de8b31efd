package gemini

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// document is a whole reply, or as much of it as an event of a stream has. Only what is used is decoded.
type document struct {
	Candidates []candidate     `json:"candidates"`
	Feedback   feedback        `json:"promptFeedback"`
	Usage      *usage          `json:"usageMetadata"`
	ID         wire.ReplyID    `json:"responseId"`
	Model      string          `json:"modelVersion"`
	Error      json.RawMessage `json:"error"`
}

type candidate struct {
	Content struct {
		Role  string   `json:"role"`
		Parts []partIn `json:"parts"`
	} `json:"content"`
	Index   int    `json:"index"`
	Finish  string `json:"finishReason"`
	Message string `json:"finishMessage"`

	Ratings   json.RawMessage `json:"safetyRatings"`
	Citations json.RawMessage `json:"citationMetadata"`
	Grounds   json.RawMessage `json:"groundingMetadata"`
}

type feedback struct {
	Reason  string          `json:"blockReason"`
	Message string          `json:"blockReasonMessage"`
	Ratings json.RawMessage `json:"safetyRatings"`
}

// part is a piece of a reply.
type part struct {
	Text      *string `json:"text"`
	Thought   bool    `json:"thought"`
	Signature string  `json:"thoughtSignature"`
	Call      *callIn `json:"functionCall"`
	Data      *blob   `json:"inlineData"`
}

type callIn struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// partIn is a piece together with the whole of it, where that may have to go back as it came.
type partIn struct {
	part
	raw json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *partIn) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &p.part); err != nil {
		return err
	}
	if p.whole() {
		p.raw = slices.Clone(data)
	}
	return nil
}

// whole reports whether a piece goes back as it came: it is none of the text, the calls and the media of the reply.
// What the model thought without signing it does not go back.
func (p *partIn) whole() bool {
	switch {
	case p.Thought, p.Text != nil && *p.Text == "":
		return p.Signature != ""
	}
	return p.Text == nil && p.Call == nil && p.Data == nil
}

// gathered is what has come of a reply.
type gathered struct {
	exchange
	id       string
	model    string
	usage    usage
	counted  bool
	words    strings.Builder
	shown    []chat.Part // with media among them: the text up to the last of them, and they
	from     int         // byte of words from which on shown lacks the text
	kept     []placed
	media    int
	before   []json.RawMessage // since the last text or call
	calls    []chat.ToolCall
	around   []around // of the calls
	spoke    bool     // the model said something, be it nothing but an empty text
	received bool     // a candidate or a reason why there is none
	blocked  string   // why the question was refused
	finish   string
	message  string
}

// whole takes a reply that came in one piece. Servers put errors, and streams that were not asked for as events, in a
// list.
func (g *gathered) whole(data []byte) error {
	if text := bytes.TrimSpace(data); len(text) == 0 || text[0] != '[' {
		var d document
		if err := g.Document(data, &d); err != nil {
			return err
		}
		return g.take(&d, data, false)
	}
	var list []json.RawMessage
	if err := g.Document(data, &list); err != nil {
		return err
	}
	for _, raw := range list {
		var d document
		if err := g.Document(raw, &d); err != nil {
			return err
		}
		if err := g.take(&d, raw, false); err != nil {
			return err
		}
	}
	return nil
}

// take takes the next document. say hands out its text.
func (g *gathered) take(d *document, data []byte, say bool) error {
	if d.Usage != nil {
		g.usage.take(d.Usage)
		g.counted = true
		g.Count(g.usage.chat())
	}
	if isError(d.Error) {
		return g.Reported(data)
	}
	if d.Model != "" {
		g.model, g.Model = d.Model, d.Model
	}
	g.id = cmp.Or(g.id, string(d.ID))
	g.Filters("promptFeedback", d.Feedback.Ratings)
	if d.Feedback.Reason != "" {
		g.received, g.blocked, g.message = true, d.Feedback.Reason, d.Feedback.Message
	}
	if len(d.Candidates) == 0 {
		return nil
	}
	first := g.choice(d.Candidates, say)
	if first == nil {
		return nil
	}
	g.received = true
	g.Came(0)
	g.Role(first.Content.Role)
	g.Filters("safetyRatings", first.Ratings)
	g.Beside("citationMetadata", first.Citations)
	g.Beside("groundingMetadata", first.Grounds)
	for i := range first.Content.Parts {
		if err := g.add(&first.Content.Parts[i], say); err != nil {
			return err
		}
	}
	if first.Finish != "" && first.Finish != "FINISH_REASON_UNSPECIFIED" {
		g.Ends(g.finish, first.Finish)
		g.finish, g.message = first.Finish, first.Message
		if say {
			g.Finished()
		}
	}
	return nil
}

// choice is the candidate that counts: the first by its index. In a stream it may come with another event.
func (g *gathered) choice(list []candidate, stream bool) *candidate {
	at := slices.IndexFunc(list, func(c candidate) bool { return c.Index == 0 })
	if len(list) > 1 || at < 0 && stream {
		g.Dropped("another candidate")
	}
	if at < 0 && stream {
		return nil
	}
	return &list[max(at, 0)]
}

// kind is what a part is of which nothing is read; "": a signature, or nothing.
func (p *partIn) kind() string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(p.raw, &all) // it was read before
	names := slices.Sorted(maps.Keys(all))
	names = slices.DeleteFunc(names, func(name string) bool {
		return name == "thought" || name == "thoughtSignature" || name == "partMetadata" || string(all[name]) == "null"
	})
	return strings.Join(names, ", ")
}

// isError reports whether the error field of a document means one.
func isError(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// add takes a piece of the reply.
func (g *gathered) add(p *partIn, say bool) error {
	if say {
		g.Progress()
	}
	g.besides(p)
	switch {
	case p.Call != nil:
		return g.call(p)
	case p.Data != nil && !p.Thought:
		return g.medium(p)
	case p.Text == nil:
		switch kind := p.kind(); {
		case p.Thought:
		case kind != "":
			g.Dropped(kind)
		case p.Signature == "":
			g.Lacks("a part", "content")
			return nil
		}
		g.before = append(g.before, p.raw)
		return nil
	case p.Thought:
		g.Came(len(*p.Text))
	case *p.Text != "":
		g.spoke = true
		g.Came(len(*p.Text))
		g.addText(*p.Text, p.Signature)
		if say {
			return g.EmitText(*p.Text)
		}
		return nil
	default:
		g.spoke = true
	}
	if p.raw != nil {
		g.before = append(g.before, p.raw)
	}
	return nil
}

// besides tells of what a piece has beside the one thing that is read of it.
func (g *gathered) besides(p *partIn) {
	text := p.Text != nil && *p.Text != "" && !p.Thought
	switch {
	case p.Call != nil && text:
		g.Dropped("text beside functionCall")
	case p.Data != nil && text:
		g.Dropped("text beside inlineData")
	}
	if p.Call != nil && p.Data != nil {
		g.Dropped("inlineData beside functionCall")
	}
}

// settle puts the parts of the model's own that came since the last text or call before what comes now.
func (g *gathered) settle() {
	for _, p := range g.before {
		g.kept = append(g.kept, placed{At: g.words.Len(), Part: p})
	}
	g.before = nil
}

func (g *gathered) addText(text, signature string) {
	g.settle()
	at := g.words.Len()
	g.words.WriteString(text)
	if signature != "" {
		g.kept = append(g.kept, placed{At: at, To: g.words.Len(), Signature: signature})
	}
}

func (g *gathered) medium(p *partIn) error {
	g.spoke = true
	g.Came(len(p.Data.Data))
	g.settle()
	g.showText()
	g.media++
	kind, _, _ := strings.Cut(p.Data.MIMEType, "/")
	switch kind {
	case "image", "audio", "video":
	default:
		kind = "document"
	}
	g.shown = append(g.shown, chat.Part{
		Type: kind, Media: &chat.Media{MIMEType: p.Data.MIMEType, Data: p.Data.Data},
	})
	g.kept = append(g.kept, placed{At: g.words.Len(), Medium: g.media, Signature: p.Signature})
	return nil
}

// showText puts the text that came since the last medium among the parts.
func (g *gathered) showText() {
	if text := g.words.String()[g.from:]; text != "" {
		g.shown = append(g.shown, chat.Part{Type: "text", Text: text})
		g.from = g.words.Len()
	}
}

func (g *gathered) call(p *partIn) error {
	g.Came(len(p.Call.Name) + len(p.Call.Args))
	if p.Call.Name == "" {
		return g.Fail(providers.BadReply, nil, "the reply calls a tool without a name")
	}
	c := chat.ToolCall{ID: p.Call.ID, Name: p.Call.Name}
	if c.ID == "" {
		c.ID = makeID(len(g.Request.Messages), len(g.calls))
	}
	args := string(p.Call.Args)
	if wire.IsNull(p.Call.Args) {
		g.Unargued(c.Name)
		args = ""
	}
	c.SetArgs(args)
	g.calls = append(g.calls, c)
	g.around = append(g.around, around{Before: g.before, Signature: p.Signature})
	g.before = nil
	return nil
}

// reply is the whole reply. It counts only when the model said why it ended.
func (g *gathered) reply() (chat.Reply, error) {
	if g.finish == "" && g.blocked == "" {
		return chat.Reply{}, g.unfinished()
	}
	out := chat.Reply{Content: g.words.String(), ID: g.id, Model: g.model}
	if g.counted {
		out.Usage = g.usage.chat()
	}
	var err error
	if out.FinishReason, err = g.ended(out.Content); err != nil {
		return chat.Reply{}, err
	}
	if n := len(g.around); n > 0 {
		g.around[n-1].After = g.before
	} else {
		g.settle()
	}
	for i := range g.calls {
		if a := &g.around[i]; !a.isZero() {
			if g.calls[i].Opaque, err = g.opaque(a); err != nil {
				return chat.Reply{}, err
			}
		}
	}
	if out.ToolCalls = g.calls; slices.ContainsFunc(g.kept, placed.matters) {
		if out.Opaque, err = g.opaque(g.kept); err != nil {
			return chat.Reply{}, err
		}
	}
	if g.media > 0 {
		g.showText()
		out.Parts = g.shown
	}
	return out, nil
}

// opaque is state of the model.
func (g *gathered) opaque(v any) (*chat.Opaque, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, g.Fail(providers.BadReply, err, "the reply has a part that is not JSON")
	}
	return &chat.Opaque{From: g.state, Data: data}, nil
}
