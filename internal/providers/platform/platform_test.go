package platform

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is the simplest API: the body is the reply.
type echo struct{}

func (echo) Encode(*chat.Request) ([]byte, error) { return []byte(`{"q":1}`), nil }
func (echo) Decode(_ *wire.Call, data []byte) (chat.Reply, error) {
	return chat.Reply{Content: string(data), FinishReason: "stop"}, nil
}
func (echo) Stream(*wire.Call) wire.Decoder { return nil }

func env(set map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := set[name]
		return v, ok
	}
}

func spec(kind, base string) *scenario.Provider {
	return &scenario.Provider{
		Meta: scenario.Meta{ID: "p"}, Type: "anthropic", Model: "claude:1", BaseURL: base,
		Platform: &scenario.Platform{Type: kind, Region: "eu-west-1", Project: "shop"},
	}
}

// talk makes n calls at once.
func talk(t *testing.T, s *scenario.Provider, e wire.Endpoint, n int) error {
	t.Helper()
	c := wire.New(s, e, wire.Options{Jobs: n})
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	var g sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range n {
		g.Go(func() {
			_, err := c.Complete(t.Context(), echo{}, &chat.Request{}, nil)
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
		})
	}
	g.Wait()
	return failed
}

// signed reports whether a request bears the signature that the key makes: AWS's algorithm, written down once more.
func signed(r *http.Request, body []byte, secret string) bool {
	_, rest, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	credential, rest, _ := strings.Cut(rest, ", SignedHeaders=")
	names, signature, _ := strings.Cut(rest, ", Signature=")
	_, scope, _ := strings.Cut(credential, "/")
	sum := func(data string) string {
		s := sha256.Sum256([]byte(data))
		return hex.EncodeToString(s[:])
	}
	canonical := r.Method + "\n" + strings.ReplaceAll(r.URL.EscapedPath(), "%", "%25") + "\n\n"
	for name := range strings.SplitSeq(names, ";") {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		canonical += name + ":" + value + "\n"
	}
	canonical += "\n" + names + "\n" + sum(string(body))
	key := []byte("AWS4" + secret)
	mac := func(text string) {
		h := hmac.New(sha256.New, key)
		_, _ = io.WriteString(h, text) // a hash takes everything
		key = h.Sum(nil)
	}
	for part := range strings.SplitSeq(scope, "/") {
		mac(part)
	}
	mac("AWS4-HMAC-SHA256\n" + r.Header.Get("X-Amz-Date") + "\n" + scope + "\n" + sum(canonical))
	return hex.EncodeToString(key) == signature && slices.Contains(strings.Split(names, ";"), "host")
}

// TestSigned: requests bear the signature of the keys, from the environment or a profile; keys that were renewed are
// read anew when the old ones are not accepted.
func TestSigned(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "credentials")
	write := func(id, secret string) {
		text := "[other]\naws_access_key_id = no\n# the one\n[shop]\naws_access_key_id=" + id + "\naws_secret_access_key = " +
			secret + "\naws_session_token = session-token-of-" + id + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("AKOLD", "old-secret")
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	var good atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		auth := r.Header.Get("Authorization")
		switch {
		case strings.Contains(auth, "Credential=AKENV/20300102/eu-west-1/bedrock/") && signed(r, body, "env-secret"),
			strings.Contains(auth, "Credential=AKNEW/") && signed(r, body, "new-secret") &&
				r.Header.Get("X-Amz-Security-Token") == "session-token-of-AKNEW":
			good.Add(1)
			_, _ = io.WriteString(w, "ok") // the client waits for it
		default:
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"message":"expired `+r.Header.Get("X-Amz-Security-Token")+`"}`) // the same
		}
	}))
	defer server.Close()
	for _, set := range []map[string]string{
		{"AWS_ACCESS_KEY_ID": "AKENV", "AWS_SECRET_ACCESS_KEY": "env-secret"},
		{"AWS_SHARED_CREDENTIALS_FILE": file, "AWS_PROFILE": "shop"},
	} {
		s := spec("bedrock", server.URL)
		e, err := Bedrock(s, wire.Options{Getenv: env(set), Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		if set["AWS_PROFILE"] != "" {
			err := talk(t, s, e, 1)
			failed, ok := errors.AsType[*providers.Error](err)
			if !ok || failed.Kind != providers.Auth || strings.Contains(err.Error(), "session-token") ||
				!strings.Contains(err.Error(), "profile shop of "+file) {
				t.Errorf("with old keys: %v", err)
			}
			write("AKNEW", "new-secret")
		}
		if err := talk(t, s, e, 8); err != nil {
			t.Error(err)
		}
	}
	if good.Load() != 16 {
		t.Errorf("%d of 16 calls were signed", good.Load())
	}
}

// TestKeysOfAWS: missing or incomplete keys are reported before the first call.
func TestKeysOfAWS(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(empty, []byte("[default]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, set := range map[string]map[string]string{
		"AWS_SECRET_ACCESS_KEY is not":          {"AWS_ACCESS_KEY_ID": "AK"},
		"set AWS_BEARER_TOKEN_BEDROCK":          {"HOME": t.TempDir()},
		"has no keys for the profile default":   {"AWS_SHARED_CREDENTIALS_FILE": empty},
		"the key from AWS_BEARER_TOKEN_BEDROCK": {bearerVar: "a b"},
	} {
		_, err := Bedrock(spec("bedrock", ""), wire.Options{Getenv: env(set)})
		if failed, ok := errors.AsType[*providers.Error](err); !ok || failed.Kind != providers.Auth ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %s", set, err, want)
		}
	}
}

// serviceAccount is a key file whose tokens come from an address.
func serviceAccount(t *testing.T, address string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "arena@shop.test", "token_uri": address,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTokensOfGoogle: one token for all calls, fetched at the first of them, and one more when it is not accepted any
// longer.
func TestTokensOfGoogle(t *testing.T) {
	t.Parallel()
	var fetched, calls atomic.Int64
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"access_token":"secret-token-%d","expires_in":3600,"token_type":"Bearer"}`, fetched.Add(1))
	}))
	defer tokens.Close()
	var revoked atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("Authorization")
		if token == "Bearer secret-token-1" && !revoked.Load() || token == "Bearer secret-token-2" {
			calls.Add(1)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"no `+token+`"}}`) // the client waits for it
	}))
	defer server.Close()
	s := spec("vertex", server.URL)
	o := wire.Options{Getenv: env(map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": serviceAccount(t, tokens.URL)})}
	e, err := Vertex(s, o, "anthropic", Calls{"rawPredict", "streamRawPredict"})
	if err != nil {
		t.Fatal(err)
	}
	if fetched.Load() != 0 {
		t.Error("a token was fetched before the first call")
	}
	if err := talk(t, s, e, 16); err != nil || fetched.Load() != 1 {
		t.Errorf("%v, %d tokens", err, fetched.Load())
	}
	revoked.Store(true)
	if err := talk(t, s, e, 16); err != nil || fetched.Load() != 2 || calls.Load() != 32 {
		t.Errorf("%v, %d tokens, %d calls", err, fetched.Load(), calls.Load())
	}
	fetched.Store(7) // whatever comes from now on is no good
	e, err = Vertex(s, o, "anthropic", Calls{"rawPredict", "streamRawPredict"})
	if err != nil {
		t.Fatal(err)
	}
	err = talk(t, s, e, 1)
	if failed, ok := errors.AsType[*providers.Error](err); !ok || failed.Kind != providers.Auth ||
		strings.Contains(err.Error(), "secret-token") || !strings.Contains(err.Error(), "GOOGLE_APPLICATION_CREDENTIALS") {
		t.Errorf("got %v", err)
	}
}

// TestTokensThatDoNotCome: an invalid key file, or a failing token server, is an error of the call with the reason.
func TestTokensThatDoNotCome(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
	}))
	defer broken.Close()
	none := filepath.Join(t.TempDir(), "none.json")
	if err := os.WriteFile(none, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string]string{"invalid_grant": serviceAccount(t, broken.URL), "is no JSON": none} {
		s := spec("vertex", "http://127.0.0.1:1")
		s.KeyFile = file
		e, err := Vertex(s, wire.Options{}, "anthropic", Calls{"a", "b"})
		if err == nil {
			err = talk(t, s, e, 1)
		}
		if failed, ok := errors.AsType[*providers.Error](err); !ok || failed.Kind != providers.Auth || !failed.Final ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	s := spec("vertex", "")
	s.KeyFile = filepath.Join(t.TempDir(), "nowhere.json")
	if _, err := Vertex(s, wire.Options{}, "anthropic", Calls{"a", "b"}); err == nil || !strings.Contains(err.Error(), "nowhere.json") {
		t.Errorf("got %v", err)
	}
}

// TestKeeperWaits: a caller that waits for another caller's credentials stops when its context ends.
func TestKeeperWaits(t *testing.T) {
	t.Parallel()
	k := newCredentialCache[int]()
	began, end := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		_, err := k.get(t.Context(), func(int) bool { return true }, func(context.Context) (int, error) {
			close(began)
			<-end
			return 1, nil
		})
		done <- err
	}()
	<-began
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.get(ctx, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestFrames: exceptions become errors that clients know, and what is damaged is no event.
func TestFrames(t *testing.T) {
	t.Parallel()
	frame := func(payload string, headers ...string) []byte {
		var out bytes.Buffer
		m := eventstream.Message{Payload: []byte(payload)}
		for i := 0; i+1 < len(headers); i += 2 {
			m.Headers.Set(headers[i], eventstream.StringValue(headers[i+1]))
		}
		if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	damaged := frame(`{"bytes":"eA=="}`)
	damaged[len(damaged)-6] ^= 1
	for name, c := range map[string]struct {
		data []byte
		want string // data of the first event; an error begins with "!"
	}{
		"an event":     {frame(`{"bytes":"eA=="}`, ":message-type", "event"), "x"},
		"a bare event": {frame(`{"type":"ping"}`, ":message-type", "event"), `{"type":"ping"}`},
		"no event":     {frame(`hello`), "hello"},
		"nothing":      {nil, "!EOF"},
		"half a one":   {frame(`{"bytes":"eA=="}`)[:20], "!unexpected EOF"},
		"damaged":      {damaged, "!a damaged frame"},
		"no frame":     {[]byte(strings.Repeat("data: {}\n\n", 9)), "!a damaged frame"},
		"too large":    {[]byte{0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0}, "!a damaged frame"},
		"a throttle":   {frame(`{"message":"slow"}`, ":message-type", "exception", ":exception-type", "throttlingException"), `{"error":{"message":"slow","type":"rate_limit_error"},"type":"error"}`},
		"an error":     {frame(``, ":message-type", "error", ":error-code", "Odd", ":error-message", "oh"), `{"error":{"message":"oh","type":"Odd"},"type":"error"}`},
		"a silent one": {frame(``, ":message-type", "exception", ":exception-type", "serviceUnavailableException"), `{"error":{"message":"serviceUnavailableException","type":"overloaded_error"},"type":"error"}`},
	} {
		e, err := newFrames(bytes.NewReader(c.data)).Next()
		if want, failed := strings.CutPrefix(c.want, "!"); failed {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %q and %v", name, e.Data, err)
			}
		} else if err != nil || string(e.Data) != c.want {
			t.Errorf("%s: got %q and %v", name, e.Data, err)
		}
	}
}

// FuzzFrames reads whatever a server may send.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("data: {}\n\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		frames := newFrames(bytes.NewReader(data))
		for range 100 {
			if _, err := frames.Next(); err != nil {
				return
			}
		}
	})
}
