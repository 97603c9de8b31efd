package cassette

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// fileReader validates a cassette file.
type fileReader struct {
	typeChecker
	folder *Folder
	id     string // expected id of the trial; "": any
}

// checkFile reads a cassette, which people may have edited, and reports all problems in it.
func (d *Folder) checkFile(file, id string, data []byte, problems *diag.List) []*entry {
	before := problems.Errors()
	r := &fileReader{typeChecker{&node.Reader{File: file, Diags: problems}}, d, id}
	docs := node.Parse(r.Reader, data)
	if problems.Errors() > before {
		return nil
	}
	if len(docs) == 0 {
		problems.Errorf(diag.Pos{File: file, Line: 1, Col: 1}, 1, "empty-cassette", "the cassette is empty").Hint =
			"delete the file and record the trial again"
		return nil
	}
	if len(docs) > 1 {
		r.Errorf(docs[1], "second-document", "a cassette holds one document").Hint =
			"delete the file and record the trial again"
		return nil
	}
	if !r.document(docs[0]) || problems.Errors() > before {
		return nil
	}
	c, err := d.open(data, id)
	if err != nil {
		problems.Errorf(diag.Pos{File: file, Line: 1, Col: 1}, 1, "bad-cassette", "%v", err)
		return nil
	}
	return c.entries
}

func (r *fileReader) document(root *node.Node) bool {
	switch version := node.Get(root, "arena_cassette"); {
	case root.Kind != node.Map:
	case version == nil:
		r.Missing(root, "the cassette", "arena_cassette").Hint = "it says the version of the format"
		return false
	case version.Value != fmt.Sprint(Version):
		r.Errorf(version, "unknown-version", "this arena reads version %d of cassettes, found %s",
			Version, describe(version)).Hint = "record the trial again, or use the arena that recorded it"
		return false
	}
	type outline struct {
		Version   int               `json:"arena_cassette"`
		Trial     string            `json:"trial"`
		Simulated bool              `json:"simulated"`
		CheckedBy string            `json:"checked_by"`
		Redacted  []string          `json:"redacted"`
		Tools     []tool            `json:"tools"`
		Exchanges []json.RawMessage `json:"exchanges"`
	}
	if !r.fits(root, reflect.TypeFor[outline](), "the cassette") {
		return false
	}
	trial := node.Get(root, "trial")
	switch {
	case trial == nil:
		r.Missing(root, "the cassette", "trial")
		return false
	case r.id != "" && !holdsTrial(r.id, trial.Value):
		r.Errorf(trial, "wrong-trial", "the file is named for the trial %q and holds %q", r.id, trial.Value)
		return false
	}
	list := node.Get(root, "exchanges")
	if list == nil {
		r.Missing(root, "the cassette", "exchanges")
		return false
	}
	tools := map[string]bool{}
	if offered := node.Get(root, "tools"); offered != nil {
		for _, t := range offered.Content {
			name := node.Get(t, "name")
			if as := node.Get(t, "as"); as != nil {
				name = as
			}
			if name == nil {
				continue
			}
			if tools[name.Value] {
				r.Errorf(name, "second-tool", "the tools of this cassette define %q twice", name.Value).Hint =
					"only one of them can answer for the requests that name it; remove the other"
			}
			tools[name.Value] = true
		}
	}
	previous := 0 // number of messages of the previous model request
	for _, n := range list.Content {
		r.exchange(n, tools, &previous)
	}
	return true
}

func (r *fileReader) exchange(n *node.Node, tools map[string]bool, previous *int) {
	if !r.fits(n, reflect.TypeFor[readExchange](), "an exchange") {
		return
	}
	kind, request, reply := node.Get(n, "kind"), node.Get(n, "request"), node.Get(n, "reply")
	for field, v := range map[string]*node.Node{"kind": kind, "request": request} {
		if v == nil {
			r.Missing(n, "an exchange", field)
			return
		}
	}
	q, a := shapes(kind.Value)
	if q == nil {
		r.Errorf(kind, "unknown-value", "kind cannot be %q; expected one of %s", kind.Value, strings.Join(kinds(), ", ")).
			Hint = diag.DidYouMean(kind.Value, kinds())
		return
	}
	if reply == nil && node.Get(n, "error") == nil {
		r.Missing(n, "an exchange", "reply").Hint = "one without a reply needs an error"
	}
	if v := node.Get(n, "latency_ms"); v != nil && tooLong(v.Value) {
		r.Errorf(v, "out-of-range", "latency_ms is more than a day")
	}
	if reply != nil && !node.IsNull(reply) {
		r.fits(reply, reflect.TypeOf(a).Elem(), "the reply")
	}
	if r.fits(request, reflect.TypeOf(q).Elem(), "the request") && kind.Value == kindModel {
		r.model(request, tools, previous)
	}
}

func tooLong(ms string) bool {
	var n float64
	return json.Unmarshal([]byte(ms), &n) != nil || n > maxMS
}

// model checks the references of a model request to other parts of the file.
func (r *fileReader) model(request *node.Node, tools map[string]bool, previous *int) {
	taken := 0
	if before := node.Get(request, "as_before"); before != nil {
		if json.Unmarshal([]byte(before.Value), &taken) != nil || taken > *previous {
			r.Errorf(before, "out-of-range", "as_before is %s, and the model request before this one has %d messages",
				before.Value, *previous)
			taken = 0
		}
	}
	if messages := node.Get(request, "messages"); messages != nil {
		taken += len(messages.Content)
	}
	*previous = taken
	if offered := node.Get(request, "tools"); offered != nil {
		for _, name := range offered.Content {
			if !tools[name.Value] {
				r.Errorf(name, "unknown-tool", "the tools of this cassette do not define %q", name.Value)
			}
		}
	}
}

// contents is the content of a cassette.
type contents struct {
	simulated bool
	checkedBy string
	redacted  []string
	entries   []*entry // without keys yet
}

// open reads a cassette. It returns the first problem without a position; see checkFile for all.
func (d *Folder) open(data []byte, id string) (*contents, error) {
	var doc struct {
		Version   int            `json:"arena_cassette"`
		Trial     string         `json:"trial"`
		Simulated bool           `json:"simulated"`
		CheckedBy string         `json:"checked_by"`
		Redacted  []string       `json:"redacted"`
		Tools     []tool         `json:"tools"`
		Exchanges []readExchange `json:"exchanges"`
	}
	if err := decode(data, &doc); err != nil {
		return nil, err
	}
	if doc.Version != Version || id != "" && !holdsTrial(id, doc.Trial) {
		return nil, fmt.Errorf("it is no cassette of version %d of the trial %q", Version, id)
	}
	defined := map[string]tool{}
	for _, t := range doc.Tools {
		name := t.ref()
		t.As = ""
		defined[name] = t
	}
	out := make([]*entry, len(doc.Exchanges))
	var before []message
	for i := range doc.Exchanges {
		e, err := doc.Exchanges[i].entry(defined, &before)
		if err != nil {
			return nil, fmt.Errorf("exchange %d: %w", i+1, err)
		}
		e.position.lane = i
		out[i] = e
	}
	return &contents{doc.Simulated, doc.CheckedBy, doc.Redacted, out}, nil
}

// entry decodes an exchange. before are the messages of the previous model request; it is set to those of this one.
func (x *readExchange) entry(tools map[string]tool, before *[]message) (*entry, error) {
	e := &entry{at: x.At, failure: x.Error, latency: min(max(x.LatencyMS, 0), maxMS)}
	request, reply := shapes(x.Kind)
	if request == nil {
		return nil, fmt.Errorf("its kind %q is unknown", x.Kind)
	}
	if err := decode(x.Request, request); err != nil {
		return nil, fmt.Errorf("its request: %w", err)
	}
	if len(x.Reply) > 0 && string(x.Reply) != "null" {
		if err := decode(x.Reply, reply); err != nil {
			return nil, fmt.Errorf("its reply: %w", err)
		}
		e.reply = reply
	}
	if e.reply == nil && e.failure == nil {
		return nil, errNoReply
	}
	e.kind, e.request = x.Kind, request
	if q, ok := request.(*modelRequest); ok {
		if q.AsBefore < 0 || q.AsBefore > len(*before) {
			return nil, errors.New("as_before is out of range")
		}
		q.Messages = append((*before)[:q.AsBefore:q.AsBefore], q.Messages...)
		*before, q.AsBefore = q.Messages, 0
		e.tools = make([]tool, len(q.Tools))
		for i, name := range q.Tools {
			if t, known := tools[name]; known {
				e.tools[i], q.Tools[i] = t, t.Name
			}
		}
	}
	return e, nil
}
