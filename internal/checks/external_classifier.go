package checks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/endpoint"
	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/say"
)

// Classifier is a provider of models that assign labels to texts, images and sounds.
type Classifier struct {
	ID, Alias string
	URL       string        // above models/NAME
	Key       string        // "": none is sent
	Timeout   time.Duration // of a call
	Err       error         // why it cannot be called; nil: it can
}

// classification is the common logic of checks with classifiers.
type classification struct {
	kind       string // text, or the kind of media
	model      string
	label      string
	role       chat.Role
	index      int
	classifier string // id; "": the first
}

type classifierParams struct {
	Model      string `param:"model,required" is:"name" doc:"Name of the model, such as Falconsai/nsfw_image_detection."`
	Label      string `param:"expected_label,required" is:"name" doc:"The label whose score counts; case does not matter."`
	Role       string `param:"message_role" words:"assistant,user" doc:"Whose message is classified; assistant when left out. What tools return is the assistant's."`
	Index      int    `param:"message_index" default:"-1" doc:"Which of their messages that have something to classify, from 0; -1 is the last."`
	Classifier string `param:"classifier_id" is:"name" doc:"Id of the provider of role inference; the first when left out."`
}

func (p classifierParams) check(kind string) Check {
	return &classification{kind, p.Model, p.Label, chat.Role(cmp.Or(p.Role, string(chat.Assistant))), p.Index,
		p.Classifier}
}

const classifierScoring = "The score that the model gives the label, from 0 to 1; write min_score or max_score, " +
	"without one it must be 1. " +
	"It is an error when there is no classifier, nothing to classify, no such label or more than one medium in the " +
	"message, and when the model is still loading after several attempts."

func (c *classification) Eval(ctx context.Context, s *Subject) (Finding, error) {
	by, err := s.Host.classifier(c.kind, c.classifier)
	if err != nil {
		return Finding{}, err
	}
	body, known, err := c.input(s)
	if err != nil {
		return Finding{}, err
	}
	address := strings.TrimSuffix(by.URL, "/") + "/models/" + c.model
	e := newScorer(s.Host, "", []string{by.Key})
	e.Written = by.ID + ", model " + c.model
	header := http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}}
	if c.kind != "text" {
		header.Set("Content-Type", known.MIMEType)
	}
	if by.Key != "" {
		header.Set("Authorization", "Bearer "+by.Key)
	}
	sent := Sent{Kind: OverHTTP, To: e.Written, Method: http.MethodPost, Body: known.asked(body), scrub: e.Scrub}
	limit := cmp.Or(by.Timeout, classifierTimeout)
	got, err := s.ask(ctx, sent, limit, by.Err, func(ctx context.Context) (Received, error) {
		return classify(ctx, e, &endpoint.Call{Method: http.MethodPost, URL: address, Header: header, Body: body})
	})
	switch {
	case err != nil:
		return Finding{}, err
	case got.Status == http.StatusServiceUnavailable:
		return Finding{}, fmt.Errorf("%s: the model is still loading, after %d attempts", e.Written, loadingAttempts)
	case got.Status < 200 || got.Status > 299 || got.Status == http.StatusPartialContent: // no part was requested
		return Finding{}, e.Refused(&endpoint.Response{Status: got.Status, Body: []byte(got.Text)})
	}
	return c.score(e, got.Text)
}

// Limits of the wait for a model that is being loaded.
const (
	classifierTimeout = time.Minute
	loadingAttempts   = 5
	loadingPause      = 2 * time.Second
	longestLoading    = 20 * time.Second
)

// classify repeats the call while the model is being loaded.
func classify(ctx context.Context, e scorer, call *endpoint.Call) (got Received, err error) {
	for attempt := 1; ; attempt++ {
		if got, err = e.call(ctx, call); err != nil || got.Status != http.StatusServiceUnavailable ||
			attempt == loadingAttempts {
			return got, err
		}
		var told struct {
			Seconds *float64 `json:"estimated_time"`
		}
		wait := loadingPause
		if json.Unmarshal([]byte(got.Text), &told) == nil && told.Seconds != nil && *told.Seconds >= 0 {
			wait = min(time.Duration(min(*told.Seconds, longestLoading.Seconds())*float64(time.Second)), longestLoading)
		}
		if err := pause.For(ctx, wait); err != nil {
			return Received{}, err
		}
	}
}

// classified describes the content in recordings of classifications.
type classified struct {
	MIMEType string `json:"mime_type"`
	SHA256   string `json:"sha256"`
}

// asked is a request in the form of a recording: with hashes in place of media.
func (c *classified) asked(body []byte) []byte {
	if c == nil {
		return body
	}
	text, _ := json.Marshal(c) // two texts
	return text
}

// input returns the body of the request, and a description of the medium.
func (c *classification) input(s *Subject) (body []byte, known *classified, err error) {
	if c.kind == "text" {
		text, err := c.text(s)
		if err != nil {
			return nil, nil, err
		}
		body, err = json.Marshal(map[string]string{"inputs": text})
		return body, nil, err
	}
	m, err := c.medium(s)
	if err != nil {
		return nil, nil, err
	}
	data, there, err := m.bytes()
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("the %s cannot be read: %w", mediaNouns[c.kind], err)
	case !there:
		return nil, nil, fmt.Errorf("the %s cannot be classified: its bytes are not at hand", mediaNouns[c.kind])
	case len(data) == 0:
		return nil, nil, fmt.Errorf("the %s is empty", mediaNouns[c.kind])
	}
	return data, &classified{cmp.Or(m.MIMEType, "application/octet-stream"), chat.SumOf(data)}, nil
}

func (c *classification) text(s *Subject) (string, error) {
	var texts []string
	for i := s.Start; i < len(s.Messages); i++ {
		if m := &s.Messages[i]; m.Role == c.role && strings.TrimSpace(m.Text()) != "" {
			texts = append(texts, m.Text())
		}
	}
	return pick(texts, c.index, "message of the "+string(c.role)+" with a text")
}

// medium is the medium of the message that the check selects.
func (c *classification) medium(s *Subject) (*medium, error) {
	var messages [][]*chat.Media
	for i := s.Start; i < len(s.Messages); i++ {
		m := &s.Messages[i]
		parts := m.Parts
		switch {
		case c.role == chat.Assistant && m.Role == chat.ToolRole && m.ToolResult != nil:
			parts = m.ToolResult.Parts
		case m.Role != c.role:
			continue
		}
		var media []*chat.Media
		for k := range parts {
			if parts[k].Type == c.kind && parts[k].Media != nil {
				media = append(media, parts[k].Media)
			}
		}
		if len(media) > 0 {
			messages = append(messages, media)
		}
	}
	of, err := pick(messages, c.index, "message of the "+string(c.role)+" with "+c.article())
	if err != nil {
		return nil, err
	}
	if len(of) > 1 {
		return nil, fmt.Errorf("the message has %d %ss, and which of them is meant is not known", len(of), mediaNouns[c.kind])
	}
	m := newMedium(c.kind, of[0], "")
	return &m, nil
}

func (c *classification) article() string {
	if c.kind == "image" {
		return "an image"
	}
	return "a " + mediaNouns[c.kind]
}

// pick is the element at an index; a negative one counts from the end.
func pick[T any](list []T, at int, what string) (one T, err error) {
	if len(list) == 0 {
		return one, errors.New("there is no " + what)
	}
	i := at
	if i < 0 {
		i += len(list)
	}
	if i < 0 || i >= len(list) {
		return one, fmt.Errorf("there is no %s at index %d; there are %d", what, at, len(list))
	}
	return list[i], nil
}

// labelled is a label with its score.
type labelled struct {
	Label *string  `json:"label"`
	Score *float64 `json:"score"`
	Error any      `json:"error"`
}

// score reads the answer: a list of labels, or a list with one.
func (c *classification) score(e scorer, text string) (Finding, error) {
	unusable := func(why string) (Finding, error) {
		return Finding{}, fmt.Errorf("%s: the reply cannot be used: %s%s", e.Written, why, e.Excerpt(text))
	}
	if key, twice := jsonvalue.KeyTwiceAsWritten([]byte(text)); twice {
		return unusable(fmt.Sprintf("it has the key %s twice in one object", say.Named(key)))
	}
	var list []labelled
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		var nested [][]labelled
		if err := json.Unmarshal([]byte(text), &nested); err != nil || len(nested) != 1 {
			return unusable("it is no list of labels")
		}
		list = nested[0]
	}
	if len(list) == 0 {
		return unusable("it has no label")
	}
	var names []string
	scores := Details{}
	found := -1
	if len(list) > 1 && !slices.ContainsFunc(list, func(l labelled) bool { return l.Score == nil || *l.Score != 0 }) {
		return unusable("all of its labels have the score 0, which no model says")
	}
	for i, l := range list {
		if failure.Indicates(l.Error) {
			return unusable("a label comes with an error")
		}
		if l.Label == nil || l.Score == nil || *l.Score < 0 || *l.Score > 1 {
			return unusable("a label has no score from 0 to 1")
		}
		names = append(names, say.Named(*l.Label))
		scores[*l.Label] = *l.Score
		if strings.EqualFold(*l.Label, c.label) {
			if found >= 0 {
				return unusable("it has the label twice")
			}
			found = i
		}
	}
	slices.Sort(names)
	f := Finding{Details: Details{"labels": scores, "model": c.model}}
	if found < 0 { // a low score would prove nothing: the label may be misspelt
		f.Explanation = fmt.Sprintf("the model has no label %s; it has %s", say.Named(c.label), strings.Join(names, ", "))
		f.silent, f.way = true, "write one of its labels as expected_label"
		return f, nil
	}
	f.Score = *list[found].Score
	f.Explanation = fmt.Sprintf("%s scores %s", say.Named(*list[found].Label), say.Decimal(f.Score))
	return f, nil
}

var errNoClassifier = errors.New("no classifier is configured; add a provider of type huggingface with role: inference")

// classifier returns the classifier with an id, or else the project's choice for a kind, or else the first.
func (h *Host) classifier(kind, id string) (*Classifier, error) {
	if h == nil || h.HTTP == nil {
		return nil, errNoHost
	}
	if len(h.Classifiers) == 0 {
		return nil, cmp.Or(h.NoClassifiers, errNoClassifier)
	}
	if id = cmp.Or(id, h.ClassifierOf[kind]); id == "" {
		return &h.Classifiers[0], nil
	}
	for i := range h.Classifiers {
		if c := &h.Classifiers[i]; c.ID == id || c.Alias == id {
			return c, nil
		}
	}
	return nil, fmt.Errorf("there is no classifier %q: no provider of role inference has that id", id)
}
