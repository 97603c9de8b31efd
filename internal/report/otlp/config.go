package otlp

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config says where and how traces are sent.
type Config struct {
	Endpoint *url.URL
	Source   string            // the variable that named the endpoint; "": the caller named it
	Headers  map[string]string // may hold secrets, so they are never shown
	Timeout  time.Duration     // of one request
	Flush    time.Duration     // how long the end of a run waits
	Gzip     bool
	Content  bool // message contents, arguments and results of tools, explanations
	Service  string
	Resource map[string]string // further attributes of the resource
	// Scrub removes secrets from a request; nil: requests are sent unchanged.
	Scrub func(body []byte) []byte
}

const (
	defaultTimeout = 10 * time.Second
	defaultService = "arena"
	tracesPath     = "/v1/traces"

	contentVariable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
)

// Off is the endpoint that switches traces off, whatever the environment says.
const Off = "none"

// Read returns the configuration from an endpoint, which may be "", and the standard OTEL_ variables; nil when traces
// are not asked for. An error names the variable that is invalid, and never quotes a header.
func Read(endpoint string, content bool, getenv func(string) (string, bool)) (*Config, error) {
	env := environment(getenv)
	c := &Config{Timeout: defaultTimeout, Flush: FlushLimit, Content: content || env.yes(contentVariable)}
	at := endpoint
	switch {
	case endpoint == Off || endpoint == "" && env.off():
		return nil, nil
	case endpoint == "":
		if at, c.Source = env.endpoint(); at == "" {
			return nil, nil
		}
	}
	var err error
	if c.Endpoint, err = parseEndpoint(at); err != nil {
		return nil, fmt.Errorf("%s: %w", source(c.Source), err)
	}
	if name, protocol := env.first("PROTOCOL"); c.Source != "" && protocol == "grpc" {
		return nil, fmt.Errorf("%s is grpc: arena speaks OTLP over HTTP; name its endpoint with --otlp-endpoint", name)
	}
	return c, errors.Join(c.headers(env), c.timeout(env), c.compression(env), c.resource(env))
}

func source(variable string) string {
	if variable == "" {
		return "--otlp-endpoint"
	}
	return variable
}

// parseEndpoint reads a URL; without a path it gets that of traces.
func parseEndpoint(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" { // the error may hold a password
		return nil, errors.New("expected a URL such as http://localhost:4318")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = tracesPath
	}
	return u, nil
}

// Where returns the endpoint without user name, password and query.
func (c *Config) Where() string {
	return (&url.URL{Scheme: c.Endpoint.Scheme, Host: c.Endpoint.Host, Path: c.Endpoint.Path}).String()
}

func (c *Config) headers(env environment) error {
	name, list := env.first("HEADERS")
	pairs, err := pairsOf(list)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for key, v := range pairs {
		if !token(key) || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }) {
			return fmt.Errorf("%s: a header has a name or a value that HTTP does not allow", name)
		}
	}
	c.Headers = pairs
	return nil
}

// token reports whether a text is a valid name of an HTTP header.
func token(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7F || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

func (c *Config) timeout(env environment) error {
	name, text := env.first("TIMEOUT")
	if text == "" {
		return nil
	}
	ms, err := strconv.Atoi(text)
	if err != nil || ms <= 0 || ms > int(time.Hour/time.Millisecond) {
		return fmt.Errorf("%s cannot be %q; expected milliseconds, such as 10000", name, text)
	}
	c.Timeout = time.Duration(ms) * time.Millisecond
	c.Flush = max(c.Flush, c.Timeout)
	return nil
}

func (c *Config) compression(env environment) error {
	name, text := env.first("COMPRESSION")
	if text != "" && text != "none" && text != "gzip" {
		return fmt.Errorf("%s cannot be %q; expected none or gzip", name, text)
	}
	c.Gzip = text == "gzip"
	return nil
}

func (c *Config) resource(env environment) error {
	pairs, err := pairsOf(env.get("OTEL_RESOURCE_ATTRIBUTES"))
	if err != nil {
		return fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	c.Service = defaultService
	if name := pairs["service.name"]; name != "" {
		c.Service = name
	}
	if name := env.get("OTEL_SERVICE_NAME"); name != "" {
		c.Service = name
	}
	delete(pairs, "service.name")
	c.Resource = pairs
	return nil
}

// pairsOf reads a=b,c=d; values may be percent-encoded. Its error quotes no value.
func pairsOf(list string) (map[string]string, error) {
	pairs := map[string]string{}
	for i, pair := range strings.Split(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, v, ok := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(v))
		if key = strings.TrimSpace(key); !ok || key == "" || err != nil {
			return nil, fmt.Errorf("entry %d is not name=value", i+1)
		}
		pairs[key] = decoded
	}
	return pairs, nil
}

// environment looks up environment variables.
type environment func(string) (string, bool)

func (e environment) get(name string) string {
	v, _ := e(name)
	return strings.TrimSpace(v)
}

// yes reports whether a switch is on.
func (e environment) yes(name string) bool { return strings.EqualFold(e.get(name), "true") }

// first returns the variable for traces, else the one for all signals.
func (e environment) first(what string) (name, v string) {
	name = "OTEL_EXPORTER_OTLP_TRACES_" + what
	if v = e.get(name); v != "" {
		return name, v
	}
	name = "OTEL_EXPORTER_OTLP_" + what
	return name, e.get(name)
}

// off reports whether the environment disables traces.
func (e environment) off() bool {
	exporters := e.get("OTEL_TRACES_EXPORTER")
	return e.yes("OTEL_SDK_DISABLED") || exporters != "" && !slices.Contains(strings.Split(exporters, ","), "otlp")
}

// endpoint returns the URL for traces, or else the URL for all signals with the path of traces.
func (e environment) endpoint() (at, name string) {
	at, isOwn := e.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), true
	if at == "" {
		at, isOwn = e.get("OTEL_EXPORTER_OTLP_ENDPOINT"), false
	}
	switch {
	case at == "":
		return "", ""
	case isOwn:
		return at, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	}
	if u, err := url.Parse(at); err == nil {
		u.Path = strings.TrimRight(u.Path, "/") + tracesPath
		at = u.String()
	}
	return at, "OTEL_EXPORTER_OTLP_ENDPOINT"
}
