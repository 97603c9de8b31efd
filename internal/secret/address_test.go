package secret

import (
	"slices"
	"testing"
)

// TestInAddress finds the passwords in addresses of all kinds, and nothing else.
func TestInAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"postgres://bob:hunter3-long@db/x":                           {"hunter3-long"},
		"postgresql+psycopg2://bob:a%2Fb-secret@db:5432/x":           {"a%2Fb-secret", "a/b-secret"},
		"redis://:hunter3-long@cache:6379/0":                         {"hunter3-long"},
		"mongodb://u:hunter3-long@h1:27017,h2:27017/x":               {"hunter3-long"},
		"amqp://u:p/w0rd-long@host":                                  {"p/w0rd-long"},
		"https://u:bad%zzescape@h/":                                  {"bad%zzescape"},
		"https://ghp0a1b2c3d4e5f6@github.com/x":                      {"ghp0a1b2c3d4e5f6"},
		"https://release-manager@github.com/x":                       nil,
		"bob:hunter3-long@tcp(db:3306)/x":                            {"hunter3-long"},
		"host=db user=bob password=hunter3-long":                     {"hunter3-long"},
		"host=db password='hunter3 long' sslmode=off":                {"hunter3 long"},
		"Server=db;User Id=bob;Password=hunter3-long;Encrypt=yes":    {"hunter3-long"},
		"DefaultEndpointsProtocol=https;AccountKey=aGVsbG8gd29ybGQ=": {"aGVsbG8gd29ybGQ="},
		"jdbc:postgresql://db/x?user=bob&password=hunter3-long":      {"hunter3-long"},
		"https://h/hook?sig=0a1b2c3d&v=1":                            {"0a1b2c3d"},
		"https://h/a@b:c":                                            nil,
		"https://h/x?token_limit=4096&page=2":                        nil,
		"someone@example.com":                                        nil,
		"a: b@c (d)":                                                 nil,
		"":                                                           nil,
	} {
		if got := InAddress(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
