package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/push"
	"github.com/prometheus/common/expfmt"
)

// Write writes the metrics in the text format of Prometheus, sorted by name.
func (m *Metrics) Write(w io.Writer) error {
	families, err := m.source.Gather()
	if err != nil {
		return err
	}
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return err
		}
	}
	return nil
}

// Path is where Handler serves the metrics.
const Path = "/metrics"

// Handler serves the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+Path, promhttp.HandlerFor(m.source, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "arena: the metrics of this run are at "+Path+"\n") // a client that has gone is no loss
	})
	return mux
}

// Gateway is a Pushgateway and the group that the metrics of a run replace there.
type Gateway struct {
	url            string
	user, password string
	job            string
	grouping       [][2]string
}

// defaultJob is the name of the group, where the address does not say another one.
const defaultJob = "arena"

// ParseGateway reads the address of a Pushgateway: http://host:9091, with /metrics/job/NAME and /LABEL/VALUE behind it
// where the group is to be another one.
func ParseGateway(address string) (*Gateway, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("expected an address such as http://localhost:9091")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of a Pushgateway has no ? and no #")
	}
	g := &Gateway{job: defaultJob, user: u.User.Username()}
	g.password, _ = u.User.Password()
	base, group, grouped := strings.Cut(u.Path, Path+"/job/")
	if grouped {
		parts := strings.Split(strings.TrimSuffix(group, "/"), "/")
		if len(parts)%2 == 0 || slices.Contains(parts, "") {
			return nil, errors.New("expected /metrics/job/NAME, with /LABEL/VALUE behind it any number of times")
		}
		g.job = parts[0]
		for i := 1; i < len(parts); i += 2 {
			g.grouping = append(g.grouping, [2]string{parts[i], parts[i+1]})
		}
	}
	u.User, u.Path = nil, strings.TrimSuffix(base, "/")
	g.url = u.String()
	return g, nil
}

// Labels are those that the gateway gives to everything in the group.
func (g *Gateway) Labels() []string {
	names := []string{"job"}
	for _, label := range g.grouping {
		names = append(names, label[0])
	}
	return names
}

// String is the address without credentials.
func (g *Gateway) String() string { return g.url }

// How a push is repeated.
const (
	pushTries   = 3
	pushTimeout = 10 * time.Second
)

// Push replaces the group of the gateway by the metrics as they are now. It tries again when the gateway does not
// answer, and gives up after ten seconds at most.
func (m *Metrics) Push(ctx context.Context, g *Gateway, client *http.Client) error {
	ctx, cancel := context.WithTimeoutCause(ctx, pushTimeout, fmt.Errorf("no answer within %s", pushTimeout))
	defer cancel()
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, m.pushOnce(ctx, g, client) },
		backoff.WithMaxTries(pushTries))
	if err != nil {
		return fmt.Errorf("push metrics to %s: %w", g, plain(err))
	}
	return nil
}

func (m *Metrics) pushOnce(ctx context.Context, g *Gateway, client *http.Client) error {
	p := push.New(g.url, g.job).Gatherer(m.source).Client(client).Format(expfmt.NewFormat(expfmt.TypeTextPlain))
	if g.user != "" {
		p.BasicAuth(g.user, g.password)
	}
	for _, label := range g.grouping {
		p.Grouping(label[0], label[1])
	}
	return p.PushContext(ctx)
}

// plain takes the request out of an error, which says no more than the address.
func plain(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
