package diag

import "testing"

func TestPasswordsInAddresses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"base_url: htp://me:pass-4@host/v1":        "base_url: htp://me:******@host/v1",
		"base_url: https://host:8080/v1?a=b@c":     "base_url: https://host:8080/v1?a=b@c",
		"headers: {authorization: Basic dXNlcjpw}": "headers: {authorization: Basic ********}",
	} {
		if got := HideSecrets(line); got != want {
			t.Errorf("%s is shown as %s, want %s", line, got, want)
		}
	}
}
