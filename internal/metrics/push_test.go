package metrics_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/metrics"
)

func TestParseGateway(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct {
		url, problem string
		labels       []string
	}{
		"http://gw:9091":              {url: "http://gw:9091", labels: []string{"job"}},
		"https://u:p@gw/prefix/":      {url: "https://gw/prefix", labels: []string{"job"}},
		"http://gw/metrics/job/n":     {url: "http://gw", labels: []string{"job"}},
		"http://gw/metrics/job/n/a/b": {url: "http://gw", labels: []string{"job", "a"}},
		"http://gw/metrics/job/n/a":   {problem: "any number of times"},
		"http://gw/metrics/job/":      {problem: "any number of times"},
		"gw:9091":                     {problem: "such as http://localhost:9091"},
		"ftp://gw":                    {problem: "such as"},
		"http://":                     {problem: "such as"},
		"http://gw?x=1":               {problem: "no ? and no #"},
		"http://gw:%41":               {problem: "such as"},

		"http://[::1]:9091/x/metrics/job/n":           {url: "http://[::1]:9091/x", labels: []string{"job"}},
		"http://gw/metrics/job@base64/bi9t/":          {url: "http://gw", labels: []string{"job"}},
		"http://gw/metrics/job/n/a@base64/=":          {url: "http://gw", labels: []string{"job", "a"}},
		"http://gw/metrics/jobs/n":                    {url: "http://gw/metrics/jobs/n", labels: []string{"job"}},
		"http://gw/metrics/job@base64/=":              {problem: `the label "job" of the group has no value`},
		"http://gw/metrics/job/n//b":                  {problem: `"" is no name for a label of the group`},
		"http://gw/metrics/job/n/a//b/c":              {problem: `the label "a" of the group has no value`},
		"http://gw/metrics/job/n/a-b/c":               {problem: `"a-b" is no name for a label of the group`},
		"http://gw/metrics/job/n/__a/c":               {problem: `"__a" is no name`},
		"http://gw/metrics/job/n/a/b/a/c":             {problem: `the group has two labels "a"`},
		"http://gw/metrics/job/n/job/m":               {problem: `the group has two labels "job"`},
		"http://gw/metrics/job/n/a@base64/not+base64": {problem: `the value "not+base64" of the label "a" is not written`},
	} {
		g, err := metrics.ParseGateway(address)
		if want.problem != "" {
			if err == nil || !strings.Contains(err.Error(), want.problem) {
				t.Errorf("%s: %v, want %s", address, err, want.problem)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if g.String() != want.url {
			t.Errorf("%s: %s, want %s", address, g, want.url)
		}
		if diff := cmp.Diff(want.labels, g.Labels()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
		}
	}
}

func TestPush(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		got := strings.Join([]string{r.Method, r.URL.Path, user, password}, " ")
		if err != nil || got != "PUT /metrics/job/night/branch/main bob secret" ||
			!strings.Contains(string(body), "arena_trials_planned 3\n") {
			t.Errorf("%s %v\n%s", got, err, body)
		}
		if requests.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable) // as while it starts
		}
	}))
	defer gateway.Close()
	address := strings.Replace(gateway.URL, "http://", "http://bob:secret@", 1) + "/metrics/job/night/branch/main"
	g, err := metrics.ParseGateway(address)
	if err != nil {
		t.Fatal(err)
	}
	if err := started(t).Push(t.Context(), g, gateway.Client()); err != nil || requests.Load() != 2 {
		t.Errorf("%d requests, %v", requests.Load(), err)
	}
}

// TestPushGroups: the values of a group reach the gateway in a form that it reads as the same values.
func TestPushGroups(t *testing.T) {
	t.Parallel()
	var asked atomic.Value
	gateway := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Store(r.URL.EscapedPath())
	}))
	defer gateway.Close()
	for given, want := range map[string]string{
		"":                                       "/metrics/job/arena",
		"/prefix/":                               "/prefix/metrics/job/arena",
		"/metrics/job/a%20b+c%25":                "/metrics/job/a%20b+c%25",
		"/metrics/job/ä":                         "/metrics/job/%C3%A4",
		"/metrics/job/n/branch/feature%2Fx":      "/metrics/job/n/branch@base64/ZmVhdHVyZS94",
		"/metrics/job/n/branch@base64/ZmEveA==":  "/metrics/job/n/branch@base64/ZmEveA",
		"/metrics/job@base64/bg/a@base64/=/b/..": "/metrics/job/n/a@base64/=/b@base64/Li4",
	} {
		g, err := metrics.ParseGateway(gateway.URL + given)
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		if err := started(t).Push(t.Context(), g, gateway.Client()); err != nil || asked.Load() != want {
			t.Errorf("%s: %v, want %s: %v", given, asked.Load(), want, err)
		}
	}
}

// TestPushFails: an error names the gateway, and none of its secrets.
func TestPushFails(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no such tenant:\n\tsecret\x1b[31m"+strings.Repeat("x", 1<<20), http.StatusForbidden)
	}))
	defer refusing.Close()
	login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			http.Redirect(w, r, "/login", http.StatusFound)
		}
	}))
	defer login.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for address, says := range map[string]string{
		refusing.URL: `: status 403 Forbidden: "no such tenant: ***\x1b[31mxxx`, gone.URL: "connect",
		login.URL: `leads elsewhere (status 302, to "http://`,
	} {
		g, err := metrics.ParseGateway(strings.Replace(address, "http://", "http://bob:secret@", 1))
		if err != nil {
			t.Fatal(err)
		}
		err = started(t).Push(t.Context(), g, http.DefaultClient)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "push metrics to "+address) ||
			strings.Contains(err.Error(), "secret") || len(err.Error()) > 500 {
			t.Error(err)
		}
	}
}
