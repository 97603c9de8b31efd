package openai

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	const noKey = "no key was sent; set OPENAI_API_KEY or OPENAI_TOKEN, or name a variable in credential.credential_env"
	cases := []struct {
		name    string
		status  int
		body    string
		headers []string
		want    providers.Error
	}{
		{"key", 401, `{"error":{"message":"Incorrect API key provided: sk-abc***wxyz1234."}}`, nil, providers.Error{
			Kind: providers.Auth, Msg: "http 401: Incorrect API key provided: sk-abc***wxyz1234.; " + noKey}},
		{"rate", 429, `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`,
			[]string{"Retry-After", "7"}, providers.Error{
				Kind: providers.RateLimit, Msg: "http 429: slow down", RetryAfter: 7 * time.Second}},
		{"rate in ms", 429, `{}`, []string{"Retry-After", "7", "retry-after-ms", "1500"}, providers.Error{
			Kind: providers.RateLimit, Msg: "http 429: {}", RetryAfter: 1500 * time.Millisecond}},
		{"rate by date", 503, `{"message":"busy"}`, []string{"Retry-After", now.Add(time.Minute).Format(http.TimeFormat)},
			providers.Error{Kind: providers.Transport, Msg: "http 503: busy", RetryAfter: time.Minute}},
		{"rate in the past", 429, `{"detail":"busy"}`, []string{"Retry-After", now.Add(-time.Minute).Format(http.TimeFormat)},
			providers.Error{Kind: providers.RateLimit, Msg: "http 429: busy"}},
		{"absurd rate", 429, `x`, []string{"Retry-After", "1e300"}, providers.Error{
			Kind: providers.RateLimit, Msg: "http 429: x", RetryAfter: 24 * time.Hour}},
		{"nonsense rate", 429, `x`, []string{"Retry-After", "-3"}, providers.Error{
			Kind: providers.RateLimit, Msg: "http 429: x"}},
		{"quota", 429, `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`, nil, providers.Error{
			Kind: providers.RateLimit, Final: true,
			Msg: "http 429: You exceeded your quota; check the plan and the billing of the account"}},
		{"parameter", 400, `{"error":{"message":"Unsupported value","param":"temperature","code":"unsupported_value"}}`, nil,
			providers.Error{Kind: providers.Refused,
				Msg: `http 400: Unsupported value; list "temperature" under unsupported_params to leave it out`}},
		{"model", 404, `{"error":"model not found"}`, nil, providers.Error{Kind: providers.Refused,
			Msg: `http 404: model not found; check model "some-model" and base_url https://api.test/v1`}},
		{"validation list", 422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, nil, providers.Error{
			Kind: providers.Refused, Msg: "http 422: field required"}},
		{"page", 502, "<html>\n<head><TITLE> Bad\nGateway </TITLE>", nil, providers.Error{
			Kind: providers.Transport, Msg: `http 502: HTML page "Bad Gateway"`}},
		{"no body", 500, "", nil, providers.Error{Kind: providers.Transport, Msg: "http 500"}},
		{"redirect", 308, "", []string{"Location", "https://u:p@login.test/x?token=secret"}, providers.Error{
			Kind: providers.Refused,
			Msg:  "http 308; https://api.test/v1 redirects to https://login.test/x, which is not followed; check base_url"}},
		{"redirect to nowhere", 307, "", nil, providers.Error{
			Kind: providers.Refused,
			Msg: "http 307; https://api.test/v1 answers without a reply and names no other address; check base_url, " +
				"and any proxy in between"}},
		{"gateway timeout", 504, "late", nil, providers.Error{Kind: providers.Timeout, Msg: "http 504: late"}},
		{"long", 400, strings.Repeat("é", 1000), nil, providers.Error{
			Kind: providers.Refused, Msg: "http 400: " + strings.Repeat("é", 300) + "…"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			described := spec("openai", "https://api.test/v1")
			described.APIKey = ""
			p := open(t, described, wire.Options{
				Transport: providertest.Answers(c.status, "application/json", c.body, c.headers...), Now: func() time.Time { return now },
			})
			_, err := p.Complete(t.Context(), &chat.Request{}, nil)
			c.want.Provider, c.want.Status = described.ID, c.status
			if diff := cmp.Diff(error(&c.want), err, cmpopts.IgnoreFields(providers.Error{}, "Err")); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSecrets sends errors that hold every secret of a provider, in every place where servers put text.
func TestSecrets(t *testing.T) {
	t.Parallel()
	secrets := []string{"key+with/signs=", "header-secret-1", "pass:word", "query-secret-1"}
	echo := strings.Join(secrets, " ") + " key%2Bwith%2Fsigns%3D Bearer abcdef123 sk-other-key-99"
	bodies := []string{
		`{"error":{"message":"` + echo + `"}}`, `{"detail":"` + echo + `"}`, echo, "<title>" + echo + "</title>",
		`{"choices":"` + echo + `"}`, "data: " + echo + "\n\n",
		strings.Repeat("x", 295) + " " + echo, // an error shows 300 characters, and must not cut a key
	}
	described := &scenario.Provider{
		Meta: scenario.Meta{ID: "p"}, Type: "openai", BaseURL: "https://u:pass%3Aword@api.test/v1?sig=query-secret-1",
		APIKey: secrets[0], Headers: map[string]string{"X-Api-Key": secrets[1]},
	}
	for _, body := range bodies {
		for _, status := range []int{200, 401, 404, 500} {
			for _, stream := range []bool{false, true} {
				p := open(t, described, wire.Options{Transport: providertest.Answers(status, "", body)})
				_, err := p.Complete(t.Context(), &chat.Request{Stream: stream}, nil)
				if err == nil {
					t.Fatalf("no error for %d %q", status, body)
				}
				for _, s := range append(secrets, "abcdef123", "sk-other", "key+with", "%2Fsigns", "header-sec") {
					if strings.Contains(err.Error(), s) {
						t.Errorf("%d: the error shows %q: %v", status, s, err)
					}
				}
			}
		}
	}
}

func TestTransportErrors(t *testing.T) {
	t.Parallel()
	p := open(t, spec("ollama", "http://127.0.0.1:1"), wire.Options{})
	_, err := p.Complete(t.Context(), &chat.Request{}, nil)
	checkError(t, err, "transport: cannot reach http://127.0.0.1:1/v1: connection refused; is it running?")

	_, err = open(t, spec("openai", "https://u:secret@api.test/v1?key=secret"), wire.Options{
		Transport: providertest.RoundTrip(func(r *http.Request) (*http.Response, error) {
			return nil, errors.New("malformed answer from " + r.URL.String())
		}),
	}).Complete(t.Context(), &chat.Request{}, nil)
	checkError(t, err, "transport: cannot talk to https://api.test/v1: malformed answer from")

	_, err = open(t, spec("openai", "https://api.tset/v1"), wire.Options{
		Transport: providertest.RoundTrip(func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "api.tset", IsNotFound: true}}
		}),
	}).Complete(t.Context(), &chat.Request{}, nil)
	checkError(t, err, "transport: cannot reach https://api.tset/v1: there is no host api.tset; check the address")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error shows a secret: %v", err)
	}
}

func TestRefusedRequest(t *testing.T) {
	t.Parallel()
	p := open(t, spec("openai", "https://api.test"), wire.Options{Transport: providertest.Answers(200, "", "")})
	video := chat.Part{Type: "video", Media: &chat.Media{Data: "AAAA"}}
	req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Parts: []chat.Part{video}}}}
	_, err := p.Complete(t.Context(), req, nil)
	checkError(t, err, "refused: the request cannot be sent: message 1: part 1: the API does not take video")
}
