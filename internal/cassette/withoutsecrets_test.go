package cassette

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/providers"
)

const known = "known-secret-value"

// fillTexts sets every string in a value to a text, and puts one element into every list and map.
func fillTexts(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillTexts(v.Elem(), text)
	case reflect.Interface:
		if v.NumMethod() > 0 { // types of the program, such as the bytes of media
			return
		}
		v.Set(reflect.ValueOf(map[string]any{text: []any{text, json.Number("1")}}))
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"` + text + `":["` + text + `"]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillTexts(v.Index(0), text)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillTexts(key, text)
		fillTexts(value, text)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fillTexts(field, text)
		}
	default:
	}
}

func filled[T any](text string) (v T) {
	fillTexts(reflect.ValueOf(&v).Elem(), text)
	return v
}

// leaky answers every call with a secret in every text.
type leaky struct{ err error }

func (k leaky) Complete(context.Context, *chat.Request, func(chat.Delta) error) (chat.Reply, error) {
	r := filled[chat.Reply](known)
	document := []byte(known + string(bytes.Repeat([]byte("x"), inlineMedia)))
	for _, data := range [][]byte{document, document[:40]} {
		r.Parts = append(r.Parts, chat.Part{Media: &chat.Media{Data: base64.StdEncoding.EncodeToString(data)}})
	}
	return r, k.err
}

func (k leaky) Ask(context.Context, grading.JudgeUse, *grading.Question) (grading.Answer, error) {
	return filled[grading.Answer](known), k.err
}

func (k leaky) Embed(context.Context, []string) (chat.Embeddings, error) {
	return filled[chat.Embeddings](known), k.err
}

// TestNoTextShowsSecrets: no file holds a known secret, wherever it occurred. The trial continues with the secret, and
// can be replayed.
func TestNoTextShowsSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	talk := func(tape *Recorder, live bool) (heard chat.Reply, problems []string) {
		l := tape.Lane("turn 1, tool call 1 (" + known + ")")
		asked := request(known)
		keep := func(err error) {
			if err != nil {
				problems = append(problems, err.Error())
			}
		}
		all := []error{nil, errors.New(known), &providers.Error{Kind: known, Provider: known, Msg: known}}
		for _, failed := range all {
			var world leaky
			if world = (leaky{failed}); !live {
				world = leaky{errors.New("asked again")}
			}
			reply, err := l.Complete(t.Context(), world, "m", asked, nil)
			if keep(err); err != nil {
				continue
			}
			heard = reply
			res := l.Call(t.Context(), reply.ToolCalls[0], "", func(context.Context, chat.ToolCall) chat.ToolResult {
				return filled[chat.ToolResult](known)
			})
			asked.Messages = append(asked.Messages, reply.Message(), chat.Message{Role: chat.ToolRole, ToolResult: &res})
			_, err = l.Judges(world).Ask(t.Context(), grading.JudgeUse{Judge: "j"}, &grading.Question{Messages: asked.Messages})
			keep(err)
			_, err = l.Embedder(world).Embed(t.Context(), []string{known})
			keep(err)
			_, err = l.Outside().Exchange(t.Context(), checks.Sent{Kind: kindHTTP, Body: []byte(`{"a": "` + known + `"}`)},
				func() (checks.Received, error) { return filled[checks.Received](known), world.err })
			keep(err)
		}
		return heard, problems
	}
	deck := folderIn(dir, false)
	deck.Secrets = func() []string { return []string{known} }
	record := open(t, deck)
	live, problems := talk(record, true)
	closed(t, record)
	if live.ToolCalls[0].ID != known || len(problems) != 2 {
		t.Errorf("the trial has other values: %+v, %q", live, problems)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if at := bytes.Index(data, []byte(known)); at >= 0 {
			t.Errorf("%s holds it: …%s…", path, data[max(at-100, 0):at+20])
		}
		encoded := base64.StdEncoding.EncodeToString([]byte(known))[:len(known)]
		if at := bytes.Index(data, []byte(encoded)); at >= 0 {
			t.Errorf("%s holds it in base64: …%s…", path, data[max(at-100, 0):at+20])
		}
		return err
	})
	if err != nil || files < 2 {
		t.Error(files, err)
	}
	for _, secrets := range [][]string{{known}, nil} {
		again := folderIn(dir, true)
		again.Secrets = func() []string { return secrets }
		replay := open(t, again)
		played, problems := talk(replay, false)
		if notice := closed(t, replay); notice != "" {
			t.Error(notice)
		}
		if played.ToolCalls[0].ID != redacted || len(problems) != 2 {
			t.Errorf("played %+v, %q", played, problems)
		}
		for _, part := range played.Parts[1:] {
			data, err := base64.StdEncoding.DecodeString(part.Media.Data)
			if diff := cmp.Diff(true, bytes.HasPrefix(data, []byte(redacted))); diff != "" || err != nil {
				t.Errorf("a document is %q, %v", data, err)
			}
		}
	}
}
