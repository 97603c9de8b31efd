package otlp

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func env(lines string) func(string) (string, bool) {
	vars := map[string]string{}
	for line := range strings.Lines(lines) {
		if name, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			vars["OTEL_"+name] = v
		}
	}
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func TestReadEndpoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, flag, env, want, source string }{
		{name: "nothing"},
		{name: "empty variable", env: "EXPORTER_OTLP_ENDPOINT= "},
		{name: "flag", flag: "http://localhost:4318", want: "http://localhost:4318/v1/traces"},
		{name: "flag with a slash", flag: "https://x/", want: "https://x/v1/traces"},
		{name: "flag with a path", flag: "https://x/otel/v1/traces", want: "https://x/otel/v1/traces"},
		{name: "flag before variables", flag: "http://a", env: "EXPORTER_OTLP_TRACES_ENDPOINT=http://b", want: "http://a/v1/traces"},
		{name: "variable", env: "EXPORTER_OTLP_ENDPOINT=http://b:1", want: "http://b:1/v1/traces", source: "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{name: "variable with a path", env: "EXPORTER_OTLP_ENDPOINT=http://b:1/otel/", want: "http://b:1/otel/v1/traces",
			source: "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{name: "variable of traces", env: "EXPORTER_OTLP_ENDPOINT=http://b\nEXPORTER_OTLP_TRACES_ENDPOINT=http://c/in",
			want: "http://c/in", source: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"},
		{name: "off by flag", flag: "none", env: "EXPORTER_OTLP_ENDPOINT=http://b"},
		{name: "off by variable", env: "EXPORTER_OTLP_ENDPOINT=http://b\nSDK_DISABLED=true"},
		{name: "another exporter", env: "EXPORTER_OTLP_ENDPOINT=http://b\nTRACES_EXPORTER=console"},
		{name: "several exporters", env: "EXPORTER_OTLP_ENDPOINT=http://b\nTRACES_EXPORTER=console,otlp", want: "http://b/v1/traces",
			source: "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{name: "the flag wins", flag: "http://a", env: "SDK_DISABLED=true\nEXPORTER_OTLP_PROTOCOL=grpc", want: "http://a/v1/traces"},
		{name: "protobuf over HTTP", env: "EXPORTER_OTLP_ENDPOINT=http://b\nEXPORTER_OTLP_PROTOCOL=http/protobuf",
			want: "http://b/v1/traces", source: "OTEL_EXPORTER_OTLP_ENDPOINT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config, err := Read(c.flag, false, env(c.env))
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if config != nil {
					t.Errorf("%+v", config)
				}
				return
			}
			if config == nil || config.Endpoint.String() != c.want || config.Source != c.source {
				t.Errorf("%+v", config)
			}
		})
	}
}

func TestReadTheRest(t *testing.T) {
	t.Parallel()
	config, err := Read("http://a", false, env(`
		EXPORTER_OTLP_HEADERS=authorization=no
		EXPORTER_OTLP_TRACES_HEADERS=Authorization=Basic%20YTpi, x-team = core
		EXPORTER_OTLP_TIMEOUT=750000
		EXPORTER_OTLP_COMPRESSION=gzip
		SERVICE_NAME=shop-tests
		RESOURCE_ATTRIBUTES=service.name=other,deployment.environment=ci%2Fmain
		INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=True`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Endpoint: config.Endpoint, Headers: map[string]string{"Authorization": "Basic YTpi", "x-team": "core"},
		Timeout: 750 * time.Second, Flush: 750 * time.Second, Gzip: true, Content: true, Service: "shop-tests",
		Resource: map[string]string{"deployment.environment": "ci/main"},
	}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if config, err = Read("http://a", false, env("RESOURCE_ATTRIBUTES=service.name=other")); err != nil || config.Service != "other" {
		t.Errorf("%+v %v", config, err)
	}
	if config, err = Read("http://a", true, env("")); err != nil || !config.Content || config.Service != "arena" ||
		config.Timeout != 10*time.Second || config.Flush != FlushLimit || config.Gzip {
		t.Errorf("%+v %v", config, err)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ flag, env, want string }{
		"no URL":          {"localhost:4318", "", "--otlp-endpoint: expected a URL such as http://localhost:4318"},
		"no host":         {"http://", "", "--otlp-endpoint: expected a URL"},
		"another scheme":  {"ftp://x", "", "--otlp-endpoint: expected a URL"},
		"bad variable":    {"", "EXPORTER_OTLP_ENDPOINT=x:4317", "OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL"},
		"grpc":            {"", "EXPORTER_OTLP_ENDPOINT=http://b:4317\nEXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_PROTOCOL is grpc"},
		"headers":         {"http://a", "EXPORTER_OTLP_HEADERS=a=b,sesame", "OTEL_EXPORTER_OTLP_HEADERS: entry 2 is not name=value"},
		"bad encoding":    {"http://a", "EXPORTER_OTLP_HEADERS=a=%zzsesame", "OTEL_EXPORTER_OTLP_HEADERS: entry 1 is not"},
		"line in a value": {"http://a", "EXPORTER_OTLP_HEADERS=a=sesame%0Ax", "OTEL_EXPORTER_OTLP_HEADERS: a header has a name or a value"},
		"space in a name": {"http://a", "EXPORTER_OTLP_HEADERS=a b=sesame", "OTEL_EXPORTER_OTLP_HEADERS: a header has a name or a value"},
		"timeout":         {"http://a", "EXPORTER_OTLP_TIMEOUT=10s", `OTEL_EXPORTER_OTLP_TIMEOUT cannot be "10s"; expected milliseconds`},
		"no time":         {"http://a", "EXPORTER_OTLP_TIMEOUT=0", "expected milliseconds"},
		"compression":     {"http://a", "EXPORTER_OTLP_COMPRESSION=zstd", `OTEL_EXPORTER_OTLP_COMPRESSION cannot be "zstd"`},
		"attributes":      {"http://a", "RESOURCE_ATTRIBUTES=x", "OTEL_RESOURCE_ATTRIBUTES: entry 1 is not name=value"},
		"password":        {"http://user:sesame@[", "", "--otlp-endpoint: expected a URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(c.flag, false, env(c.env))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "sesame") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
