package gemini

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// studio is a server that makes films: it answers its requests in turn, and @HOST@ in an answer is its own address.
type studio struct {
	answers []answer

	mu     sync.Mutex
	seen   []string // method, address and body
	keys   []string
	server *httptest.Server
}

type answer struct {
	status int // 0: 200
	header [2]string
	body   string
}

func (s *studio) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	s.seen = append(s.seen, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body)))
	s.keys = append(s.keys, r.Header.Get(keyHeader)+r.Header.Get("Authorization"))
	if len(s.seen) > len(s.answers) {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	a := s.answers[len(s.seen)-1]
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After-Ms", "1") // the tests are not to wait
	if a.header[0] != "" {
		w.Header().Set(a.header[0], strings.ReplaceAll(a.header[1], "@HOST@", s.server.URL))
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = io.WriteString(w, strings.ReplaceAll(a.body, "@HOST@", s.server.URL))
}

// open starts the server, and a provider that calls it.
func (s *studio) open(t *testing.T, vertex bool) *wire.Provider {
	t.Helper()
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	p := &scenario.Provider{
		Meta: scenario.Meta{ID: "p"}, Type: "imagen", Role: "video", Model: "veo-3", BaseURL: s.server.URL,
		APIKey: providertest.Secret,
	}
	if vertex {
		p.Platform = &scenario.Platform{Type: "vertex", Region: "eu-west-1", Project: "shop"}
	}
	made, err := NewImagen(p, wire.Options{})
	return providertest.Opened(t, made, err)
}

func shoot(t *testing.T, p *wire.Provider) (chat.Reply, error) {
	t.Helper()
	return p.Complete(t.Context(), &chat.Request{
		Messages: []chat.Message{says(chat.User, "A cat.")}, Extra: jsonvalue.Object{"aspect_ratio": "16:9"}, Stream: true,
	}, nil)
}

// clip is a film, and its bytes in base64.
func clip(t *testing.T) (data []byte, text string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "media", "testdata", "plain.mp4"))
	if err != nil {
		t.Fatal(err)
	}
	return data, chat.Encode(data)
}

const (
	ordered    = `{"instances":[{"prompt":"A cat."}],"parameters":{"aspectRatio":"16:9","sampleCount":1}}`
	order      = "POST /v1beta/models/veo-3:predictLongRunning " + ordered
	poll       = "GET /v1beta/models/veo-3/operations/op-1"
	started    = `{"name":"models/veo-3/operations/op-1"}`
	lies       = `{"name":"models/veo-3/operations/op-1","done":true,"response":{"generateVideoResponse":{"generatedSamples":[{"video":{"uri":"%s"}}]}}}`
	inProjects = "/v1/projects/shop/locations/eu-west-1/publishers/google/models/veo-3"
	hostedName = "projects/shop/locations/eu-west-1/publishers/google/models/veo-3/operations/7f-1"
)

// TestFilms: a film is ordered once and asked for until it is there, on both wires, and fetched where it lies, with the
// key at the server of the call.
func TestFilms(t *testing.T) {
	t.Parallel()
	data, text := clip(t)
	for name, c := range map[string]struct {
		vertex  bool
		answers []answer
		want    []string
	}{
		"address": {answers: []answer{
			{body: started}, {body: started}, {status: 503, body: `{}`}, {body: fmt.Sprintf(lies, "@HOST@/v1beta/files/f:download?alt=media")},
			{status: 302, header: [2]string{"Location", "/elsewhere"}}, {status: 500},
			{status: 302, header: [2]string{"Location", "/elsewhere"}},
			{header: [2]string{"Content-Type", "video/mp4"}, body: string(data)},
		}, want: []string{
			order, poll, poll, poll, "GET /v1beta/files/f:download?alt=media", "GET /elsewhere",
			"GET /v1beta/files/f:download?alt=media", "GET /elsewhere",
		}},
		"at once": {answers: []answer{
			{body: `{"name":"operations/x","done":true,"response":{"videos":[{"mimeType":"video/mp4","bytesBase64Encoded":"` + text + `"}]}}`},
		}, want: []string{order}},
		"vertex": {vertex: true, answers: []answer{
			{body: `{"name":"` + hostedName + `"}`}, {body: `{"name":"` + hostedName + `"}`},
			{body: `{"name":"` + hostedName + `","done":true,"response":{"raiMediaFilteredCount":0,"videos":[{"mimeType":"video/mp4","bytesBase64Encoded":"` + text + `"}]}}`},
		}, want: []string{
			"POST " + inProjects + ":predictLongRunning " + ordered,
			"POST " + inProjects + `:fetchPredictOperation {"operationName":"` + hostedName + `"}`,
			"POST " + inProjects + `:fetchPredictOperation {"operationName":"` + hostedName + `"}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &studio{answers: c.answers}
			reply, err := shoot(t, s.open(t, c.vertex))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, s.seen); diff != "" {
				t.Errorf("the requests (-want +got):\n%s", diff)
			}
			for i, key := range s.keys {
				if !strings.HasSuffix(key, providertest.Secret) {
					t.Errorf("request %d has the key %q", i+1, key)
				}
			}
			if len(reply.Parts) != 1 || reply.Parts[0].Type != "video" || reply.Parts[0].Media.MIMEType != "video/mp4" ||
				reply.Parts[0].Media.Data != text || len(reply.Unreported) != 1 || reply.FinishReason != "stop" {
				t.Errorf("%.200s", fmt.Sprintf("%+v", reply))
			}
		})
	}
}

// TestFilmsThatFail: what does not end with a film is an error, and where the server may have made one, nobody orders
// another.
func TestFilmsThatFail(t *testing.T) {
	t.Parallel()
	ended := func(response string) []answer {
		return []answer{{body: started}, {body: `{"name":"models/veo-3/operations/op-1","done":true,` + response + `}`}}
	}
	down := answer{status: 503, body: `{"error":{"message":"away"}}`}
	for name, c := range map[string]struct {
		answers   []answer
		says      string
		kind      providers.Kind
		temporary bool
	}{
		"refused":    {[]answer{{status: 400, body: `{"error":{"message":"no such ratio"}}`}}, "no such ratio", providers.Refused, false},
		"busy":       {[]answer{{status: 503, body: `{"error":{"message":"busy"}}`}}, "busy", providers.Transport, true},
		"no name":    {[]answer{{body: `{}`}}, "names no operation", providers.BadReply, false},
		"up":         {[]answer{{body: `{"name":"models/../../secrets/x"}`}}, "names no operation", providers.BadReply, false},
		"an address": {[]answer{{body: `{"name":"https://evil.example/x"}`}}, "names no operation", providers.BadReply, false},
		"query":      {[]answer{{body: `{"name":"operations/x?y=z"}`}}, "names no operation", providers.BadReply, false},
		"no JSON":    {[]answer{{body: started}, {body: `oops`}}, "oops", providers.BadReply, false},
		"gone":       {[]answer{{body: started}, {status: 404, body: `{"error":{"message":"no operation"}}`}}, "no operation", providers.Refused, false},
		"down":       {[]answer{{body: started}, down, down, down, down, down}, "away", providers.Transport, false},
		"broke":      {ended(`"error":{"code":13,"message":"it broke"}`), "it broke", providers.Transport, true},
		"words":      {ended(`"error":{"code":3,"message":"bad words"}`), "bad words", providers.Refused, false},
		"filter": {ended(`"response":{"generateVideoResponse":{"raiMediaFilteredCount":1,"raiMediaFilteredReasons":["a face"]}}`),
			"made no video: a face", providers.Refused, false},
		"filter without words": {ended(`"response":{"raiMediaFilteredCount":1}`), "a filter took it out", providers.Refused, false},
		"nothing":              {ended(`"response":{}`), "the operation ended without one", providers.Refused, false},
		"empty":                {ended(`"response":{"videos":[{}]}`), "neither a film in it nor the address", providers.BadReply, false},
		"bucket":               {ended(`"response":{"videos":[{"gcsUri":"gs://shop/film.mp4"}]}`), "leave storageUri out", providers.BadReply, false},
		"no film":              {ended(`"response":{"videos":[{"bytesBase64Encoded":"aGVsbG8="}]}`), "the video in the reply: it", providers.BadReply, false},
		"stranger": {ended(`"response":{"generateVideoResponse":{"generatedSamples":[{"video":{"uri":"http://169.254.169.254/latest"}}]}}`),
			"cannot be fetched from where the server says that it is", providers.BadReply, false},
		"password": {ended(`"response":{"generateVideoResponse":{"generatedSamples":[{"video":{"uri":"http://u:p@127.0.0.1/f"}}]}}`),
			"holds a name or a password", providers.BadReply, false},
		"away": {append(ended(`"response":{"generateVideoResponse":{"generatedSamples":[{"video":{"uri":"@HOST@/f"}}]}}`),
			answer{status: 302, header: [2]string{"Location", "http://10.0.0.1/f"}}), "cannot be fetched from where", providers.BadReply, false},
		"in circles": {append(ended(`"response":{"generateVideoResponse":{"generatedSamples":[{"video":{"uri":"@HOST@/f"}}]}}`),
			repeated(answer{status: 302, header: [2]string{"Location", "/f"}}, 10)...), "again and again", providers.BadReply, false},
		"expired": {append(ended(`"response":{"generateVideoResponse":{"generatedSamples":[{"video":{"uri":"@HOST@/f"}}]}}`),
			answer{status: 403, body: `{"error":{"message":"expired"}}`}), "expired", providers.Auth, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &studio{answers: c.answers}
			_, err := shoot(t, s.open(t, false))
			failed, ok := errors.AsType[*providers.Error](err)
			if !ok || !strings.Contains(failed.Msg, c.says) || failed.Kind != c.kind || failed.Temporary() != c.temporary {
				t.Errorf("%v (%+v), want %s", err, failed, c.says)
			}
			if len(s.seen) != len(s.answers) {
				t.Errorf("the server was asked %d times, want %d:\n%s", len(s.seen), len(s.answers), strings.Join(s.seen, "\n"))
			}
		})
	}
}

func repeated(a answer, n int) (all []answer) {
	for range n {
		all = append(all, a)
	}
	return all
}

// TestFilmTooLate: an operation that does not end within request_timeout is an error that says where the film may still
// be, and that nobody repeats. Between two questions there is time.
func TestFilmTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		p := &scenario.Provider{Meta: scenario.Meta{ID: "p"}, Type: "imagen", Role: "video", Model: "veo-3", APIKey: "k"}
		made, err := NewImagen(p, wire.Options{Transport: providertest.RoundTrip(func(*http.Request) (*http.Response, error) {
			asked++
			return providertest.Response(200, "application/json", started), nil
		})})
		film := providertest.Opened(t, made, err)
		began := time.Now()
		_, err = shoot(t, film)
		failed, ok := errors.AsType[*providers.Error](err)
		if !ok || failed.Kind != providers.Timeout || failed.Temporary() || time.Since(began) != 10*time.Minute ||
			!strings.Contains(failed.Msg, "not ready after 600s (request_timeout)") ||
			!strings.Contains(failed.Msg, "operation models/veo-3/operations/op-1") {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		if asked < 60 || asked > 70 {
			t.Errorf("the server was asked %d times", asked)
		}
	})
}
