package checks

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	}
}

// contentHost is a host without a network on which every endpoint and every agent returns a pass.
var contentHost = &Host{HTTP: &http.Client{Transport: content{}}, Getenv: lookup(nil),
	Classifiers: []Classifier{{ID: "hf", URL: "https://classifiers.example.com"}}}

type content struct{}

func (content) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	text := `{"score": 1, "reasoning": "fine"}`
	if bytes.Contains(sent, []byte(`"jsonrpc"`)) {
		text = `{"result": {"parts": [{"text": ` + strconv.Quote(text) + `}]}}`
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text)), Request: r}, err
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
