package harness

import (
	"encoding/base64"
	"slices"
	"testing"
)

// TestSecretForms: the forms in which the value of a variable is used are found, and nothing that is no secret.
func TestSecretForms(t *testing.T) {
	t.Parallel()
	coded := base64.StdEncoding.EncodeToString
	for _, c := range []struct {
		name, value string
		want        []string // besides the value itself, where the name calls it a secret
		whole       bool
	}{
		{name: "OTEL_EXPORTER_OTLP_HEADERS", value: "authorization=Bearer%20ot1TOK%2Baa99,accept=application/json", want: []string{"ot1TOK+aa99", "Bearer ot1TOK+aa99", "Bearer%20ot1TOK%2Baa99"}},
		{name: "SESSION_COOKIE", value: "sid=abc123xyz789; Path=/; Domain=shop1.example.com; Expires=Wed, 21 Oct 2026", want: []string{"abc123xyz789"}, whole: true},
		{name: "HOOK_SECRETS", value: "a=hkA7712abc,b=hkB7712abc", want: []string{"hkA7712abc", "hkB7712abc"}, whole: true},
		{name: "TOKENS", value: "tkA7712abc tkB7712abc", want: []string{"tkA7712abc", "tkB7712abc"}},
		{name: "JWT", value: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMQ", want: []string{"c2lnbmF0dXJlMQ", "eyJzdWIiOiIxIn0"}, whole: true},
		{name: "NPM_CONFIG__AUTH", value: coded([]byte("npm:npmPW7712")), want: []string{"npm:npmPW7712", "npmPW7712"}, whole: true},
		{name: "DOCKER_AUTH_CONFIG", value: `{"auths":{"r":{"auth":"` + coded([]byte("user:dockPW7712")) + `"}}}`, want: []string{coded([]byte("user:dockPW7712")), "dockPW7712", "user:dockPW7712"}, whole: true},
		{name: "SSH_KEY_B64", value: coded([]byte("sshKEY7712abcdef")), want: []string{"sshKEY7712abcdef"}, whole: true},
		{name: "STRIPE_SK", value: "sk_live_7712abcdefgh", want: []string{"sk_live_7712abcdefgh"}},
		{name: "ENCRYPTION_SALT", value: "sltVAL7712abc", want: []string{"sltVAL7712abc"}},
		{name: "SIGNING_SEED", value: "sgnSEED7712abcd", want: []string{"sgnSEED7712abcd"}},
		{name: "SLACK_WEBHOOK_URL", value: "https://hooks.slack.com/services/T000/B000/whkXYZ12345abc", want: []string{"whkXYZ12345abc"}},
		{name: "KUBECONFIG_DATA", value: "users:\n- name: me\n  user:\n    token: kubTOK7712abcd\n", want: []string{"kubTOK7712abcd"}},
		// What is no secret.
		{name: "MAX_TOKENS", value: "4096"},
		{name: "RANDOM_SEED", value: "1234567890"},
		{name: "LANG_SK", value: "sk_SK.UTF-8"},
		{name: "TOKENS_MODEL", value: "claude-3-5-sonnet-20241022"},
		{name: "SALT", value: "master-01.example.com"},
		{name: "WEBHOOK_URL", value: "http://127.0.0.1:9999/hook"},
		{name: "ORDER_WEBHOOK", value: "https://example.com/api/v2/order-created-v2"},
		{name: "OTEL_EXPORTER_OTLP_HEADERS", value: "x-honeycomb-dataset=checkout-service-2,x-scope-orgid=tenant1"},
		{name: "GREETING", value: "token: welcome"},
		{name: "NOTE", value: "the password: see page 12 of handbook2026"},
		{name: "DB_PASSWORD", value: "correct horse battery staple", whole: true},
		{name: "API_KEY", value: "0123456789abcdefABCDEF", whole: true},
		{name: "API_KEY", value: "sk-proj-abcdefghijklmnop1234", whole: true},
	} {
		want := slices.Clone(c.want)
		if c.whole {
			want = append(want, c.value)
		}
		slices.Sort(want)
		known := NewSecrets(map[string]string{c.name: c.value}).Known()
		slices.Sort(known)
		if !slices.Equal(known, want) {
			t.Errorf("%s=%s: known are %q, want %q", c.name, c.value, known, want)
		}
	}
}
