package open

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// sendSpan tells a receiver of a call of a tool, as an endpoint does that was told where it is.
func sendSpan(endpoint, headers, tool string) error {
	req, err := http.NewRequest(http.MethodPost, endpoint+"/v1/traces", strings.NewReader(fmt.Sprintf(
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x","name":"execute_tool",`+
			`"startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[`+
			`{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},`+
			`{"key":"gen_ai.tool.name","value":{"stringValue":%q}}]}]}]}]}`, len(tool), tool, tool)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for put := range strings.SplitSeq(headers, ",") {
		name, value, _ := strings.Cut(put, "=")
		if value, err = url.PathUnescape(value); err != nil {
			return err
		}
		req.Header.Set(name, value)
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the receiver says %s", res.Status)
	}
	_ = res.Body.Close()
	return err
}

// TestHTTPTraces: an endpoint that gets the address of the receiver sends its traces, separately for each trial;
// without traces it does not get the address.
func TestHTTPTraces(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Message, Endpoint, Headers string }
		err := json.NewDecoder(r.Body).Decode(&in)
		if err == nil && in.Endpoint != "" {
			err = sendSpan(in.Endpoint, in.Headers, "tool_of_"+in.Message)
		}
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"reply": "Done %s."}`, in.Message)
	}))
	defer server.Close()
	body := map[string]any{
		"message": "{{message}}", "endpoint": "{{otlp.endpoint}}", "headers": "{{otlp.headers}}", "session": "{{session}}",
	}
	spec := &scenario.Provider{
		Meta: scenario.Meta{ID: "shop"}, Type: scenario.HTTPType, BaseURL: server.URL, RequestTimeout: hang.Guard,
		StreamIdleTimeout: hang.Guard, HTTP: &scenario.HTTPAgent{Method: "POST", Body: body, Filled: body},
	}
	for _, name := range []string{"message", "session", scenario.OTLPEndpoint, scenario.OTLPHeaders} {
		spec.HTTP.Puts(name)
	}
	for _, c := range []struct {
		noTraces bool
		want     string
	}{{false, "[tool_of_%s] Done %s."}, {true, "[] Done %s."}} {
		p, err := New(spec, Options{NoTraces: c.noTraces})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				trial := &providers.Trial{ID: fmt.Sprint("trial ", i)}
				ctx := providers.InTrial(t.Context(), trial)
				var called []string
				req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: fmt.Sprint(i)}}}
				for {
					r, err := p.Complete(ctx, req, nil)
					if err != nil {
						t.Error(err)
						return
					}
					for _, call := range r.ToolCalls {
						called = append(called, call.Name)
					}
					if req.Origin.Reply++; len(r.ToolCalls) > 0 {
						continue
					}
					want := strings.ReplaceAll(c.want, "%s", fmt.Sprint(i))
					if got := fmt.Sprint(called, " ", r.Content); got != want {
						t.Errorf("got %q, want %q", got, want)
					}
					known := !slices.Contains(r.Unreported, chat.UnreportedToolCalls)
					if known == c.noTraces {
						t.Errorf("told %v without traces %v", known, c.noTraces)
					}
					break
				}
				if notices, err := trial.End(ctx); err != nil || len(notices) > 0 {
					t.Errorf("got %v, %v", notices, err)
				}
			})
		}
		all.Wait()
		if err := providers.Close(p); err != nil {
			t.Error(err)
		}
	}
}
