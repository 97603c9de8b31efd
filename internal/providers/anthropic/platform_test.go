package anthropic

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// frame is an event as Bedrock sends it: a frame with the event in base64. What is no event is not sent.
func frame(event string) []byte {
	var out bytes.Buffer
	for line := range strings.Lines(event) {
		data, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "data: ")
		if !ok {
			continue
		}
		payload, err := json.Marshal(map[string]string{"bytes": base64.StdEncoding.EncodeToString([]byte(data)), "p": "abc"})
		if err == nil {
			err = eventstream.NewEncoder().Encode(&out, eventstream.Message{Payload: payload, Headers: eventstream.Headers{
				{Name: ":message-type", Value: eventstream.StringValue("event")},
				{Name: ":event-type", Value: eventstream.StringValue("chunk")},
			}})
		}
		if err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

// hosted is a server of a platform.
func hosted(t *testing.T, kind string) providertest.API {
	server := api(t)
	server.Path = ""
	switch kind {
	case onVertex:
		server.Streams = func(r *http.Request, body []byte) bool { return strings.HasSuffix(r.URL.Path, ":streamRawPredict") }
	case onBedrock:
		server.Kind, server.Frame = "application/vnd.amazon.eventstream", frame
		server.Streams = func(r *http.Request, body []byte) bool {
			return strings.HasSuffix(r.URL.Path, "/invoke-with-response-stream")
		}
	}
	return server
}

func on(kind, base string) *scenario.Provider {
	p := spec(base)
	p.Platform = &scenario.Platform{Type: kind, Region: "eu-west-1", Project: "shop"}
	return p
}

// TestPlatformConformance: the models are the same wherever they are hosted.
func TestPlatformConformance(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{onVertex, onBedrock, onAzure} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			server := hosted(t, kind)
			providertest.Run(t, providertest.Dialect{
				Faults: providertest.SingleReplyFaults(), API: &server, Thinks: true, Reply: "msg_1", Finishes: finishes,
				Open: func(t *testing.T, s providertest.Script) providers.Provider {
					described := on(kind, providertest.Serve(t, hosted(t, kind), s).URL)
					return open(t, providertest.Patience(described, s), wire.Options{Jobs: 4})
				},
			})
		})
	}
}

// TestPlatformAddresses: where the calls go on each platform, whole and streamed, with what body.
func TestPlatformAddresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec          *scenario.Provider
		whole, stream string
		header        string // that has the key
	}{
		"vertex": {on(onVertex, ""), "https://eu-west-1-aiplatform.googleapis.com/v1/projects/shop/locations/eu-west-1/" +
			"publishers/anthropic/models/claude%404:rawPredict", "https://eu-west-1-aiplatform.googleapis.com/v1/projects/shop/" +
			"locations/eu-west-1/publishers/anthropic/models/claude%404:streamRawPredict", "Authorization"},
		"bedrock": {on(onBedrock, ""), "https://bedrock-runtime.eu-west-1.amazonaws.com/model/claude%404/invoke",
			"https://bedrock-runtime.eu-west-1.amazonaws.com/model/claude%404/invoke-with-response-stream", "Authorization"},
		"bedrock elsewhere": {on(onBedrock, "http://proxy/aws"), "http://proxy/aws/model/claude%404/invoke",
			"http://proxy/aws/model/claude%404/invoke-with-response-stream", "Authorization"},
		"azure": {on(onAzure, "https://r.services.ai.azure.com"), "https://r.services.ai.azure.com/anthropic/v1/messages",
			"https://r.services.ai.azure.com/anthropic/v1/messages", "Api-Key"},
		"azure with the path": {on(onAzure, "https://r.services.ai.azure.com/anthropic/v1/messages"),
			"https://r.services.ai.azure.com/anthropic/v1/messages", "https://r.services.ai.azure.com/anthropic/v1/messages", "Api-Key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.spec.Model = "claude@4"
			var got *http.Request
			p := open(t, c.spec, wire.Options{Transport: providertest.RoundTrip(func(r *http.Request) (*http.Response, error) {
				got = r
				return providertest.Response(200, "application/json", whole(script("Hi"))), nil
			})})
			for stream, want := range map[bool]string{false: c.whole, true: c.stream} {
				req := &chat.Request{Messages: []chat.Message{says(chat.User, "Hi")}, Stream: stream}
				if _, err := p.Complete(t.Context(), req, nil); err != nil {
					t.Fatal(err)
				}
				if to := got.URL.String(); to != want {
					t.Errorf("called %s, want %s", to, want)
				}
				if key := got.Header.Get(c.header); !strings.HasSuffix(key, providertest.Secret) {
					t.Errorf("%s is %q", c.header, key)
				}
			}
		})
	}
}

// TestPlatformsThatLack: what is missing is told before the first call.
func TestPlatformsThatLack(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]*scenario.Platform{
		"platform vertex needs a region":    {Type: onVertex, Project: "p"},
		"platform vertex needs a project":   {Type: onVertex, Region: "r"},
		"platform bedrock needs a region":   {Type: onBedrock},
		"platform azure needs an endpoint":  {Type: onAzure},
		"set AWS_BEARER_TOKEN_BEDROCK":      {Type: onBedrock, Region: "r"},
		"set ANTHROPIC_FOUNDRY_API_KEY or ": {Type: onAzure, Endpoint: "https://r.services.ai.azure.com"},
	} {
		s := spec("")
		s.Platform, s.APIKey = p, ""
		if _, err := New(s, wire.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %s", p, err, want)
		}
	}
}
