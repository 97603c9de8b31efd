package harness

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
)

// Vault knows what nothing may show that arena writes: the keys of providers, passwords in addresses, and what stands
// in the environment, in headers and in the environment of programs under a name that speaks of secrets. It is safe for
// concurrent use.
type Vault struct{ secret.Guard }

// NewVault is a vault that knows what stands in an environment.
func NewVault(env map[string]string) *Vault {
	v := &Vault{}
	for name, value := range env {
		v.look(name, value)
	}
	return v
}

// fromEnvironment is the length from which a variable of the environment is taken for a secret. Shorter ones are
// switches and numbers, whose names only sound like it.
const fromEnvironment = 6

func (v *Vault) look(name, value string) {
	if confidential(name) && len(strings.TrimSpace(value)) >= fromEnvironment && !public(name, value) {
		v.keep(value)
	}
}

// everyday are variables of systems and terminals that hold no secret, whatever their names sound like.
var everyday = []string{
	"PWD", "OLDPWD", "SSH_AUTH_SOCK", "SESSION_MANAGER", "DESKTOP_SESSION", "DBUS_SESSION_BUS_ADDRESS",
	"XDG_SESSION_CLASS", "XDG_SESSION_DESKTOP", "XDG_SESSION_ID", "XDG_SESSION_PATH", "XDG_SESSION_TYPE",
	"TERM_SESSION_ID", "ITERM_SESSION_ID", "WT_SESSION",
}

// public reports whether a value only says where something is: a file with a key is no key.
func public(name, value string) bool {
	if slices.Contains(everyday, name) {
		return true
	}
	value = strings.TrimSpace(value)
	place := filepath.IsAbs(value)
	for _, end := range []string{"_file", "_path", "_dir", "_sock"} {
		place = place || strings.HasSuffix(strings.ToLower(name), end)
	}
	return place && exists(value)
}

func (v *Vault) keep(value string) { v.Learn(strings.TrimSpace(value)) }

// confidential reports whether a variable, a header or a parameter is of those that hold credentials, by its name.
func confidential(name string) bool {
	apart := func(r rune) bool { return r == '_' || r == '-' || r == '.' }
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), apart) {
		switch word {
		case "key", "apikey", "token", "accesstoken", "secret", "secrets", "password", "passwd", "pass", "passphrase", "pwd",
			"pw", "auth", "authorization", "credential", "credentials", "creds", "pat", "cookie", "session", "sig", "signature",
			"jwt", "bearer", "sas":
			return true
		}
	}
	return false
}

// tellsNothing are headers and parameters that everybody may know, whatever their length.
var tellsNothing = map[string]bool{
	"accept": true, "content-type": true, "user-agent": true, "api-version": true, "referer": true, "http-referer": true,
	"x-title": true, "openai-organization": true, "openai-project": true, "openai-beta": true, "anthropic-version": true,
}

// likely is the length from which a value without blanks is taken for a secret though its name does not say so.
const likely = 12

func (v *Vault) setting(name, value string) {
	_, bare, scheme := strings.Cut(value, " ") // Bearer abc
	switch {
	case tellsNothing[strings.ToLower(name)], public(name, value):
	case confidential(name) && scheme:
		v.keep(bare)
		v.keep(value)
	case confidential(name):
		v.keep(value)
	case len(value) >= likely && !strings.ContainsAny(value, " \t"):
		v.keep(value)
	}
}

// address learns the password and the parameters of an address.
func (v *Vault) address(text string) {
	if text == "" { // as that of nearly every check
		return
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return
	}
	if password, set := u.User.Password(); set {
		v.keep(password)
	} else if user := u.User.Username(); len(user) >= likely {
		v.keep(user)
	}
	for name, values := range u.Query() {
		for _, value := range values {
			v.setting(name, value)
		}
	}
}

// WatchAll makes the vault know the secrets of all projects of a suite.
func (v *Vault) WatchAll(suite *scenario.Suite) {
	for _, p := range suite.Projects {
		v.watch(p)
	}
}

// watch makes the vault know the keys of a project, and what is looked up in its environment, .env included.
func (v *Vault) watch(p *scenario.Project) {
	names := map[string]bool{}
	for _, spec := range p.Providers {
		v.provider(spec)
		names[spec.KeyEnv] = spec.KeyEnv != ""
	}
	for _, h := range p.Handlers {
		v.program(h, p.Getenv)
	}
	v.checks(p)
	getenv := p.Getenv
	if getenv == nil {
		return
	}
	p.Getenv = func(name string) (string, bool) {
		value, set := getenv(name)
		if names[name] {
			v.keep(value)
		} else {
			v.look(name, value)
		}
		return value, set
	}
	for name := range names {
		_, _ = p.Getenv(name)
	}
}

// WatchChecks makes the vault know what the checks of a suite send to prove who they are. That of checks with
// placeholders is known once the trials are planned.
func (v *Vault) WatchChecks(suite *scenario.Suite) {
	for _, p := range suite.Projects {
		v.checks(p)
	}
}

func (v *Vault) checks(p *scenario.Project) {
	getenv := p.Getenv
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	runner.EachCheck(p, func(c *checks.Compiled) {
		v.Check(c, getenv)
	})
}

// Check makes the vault know what one check sends to prove who it is.
func (v *Vault) Check(c *checks.Compiled, getenv func(string) (string, bool)) {
	headers, address := c.Sends(getenv)
	for name, value := range headers {
		v.setting(name, value)
	}
	v.address(address)
	for _, inner := range c.Nested() {
		v.Check(inner, getenv)
	}
}

// program learns what is handed to a program, also by variables of other names.
func (v *Vault) program(h *scenario.Handler, getenv func(string) (string, bool)) {
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	for _, entry := range h.Env {
		name, value, sets := strings.Cut(entry, "=")
		if !sets {
			value, _ = getenv(name)
			v.setting(name, value)
			continue
		}
		filled := scenario.Expand(value, getenv)
		v.setting(name, filled.Text)
		for _, part := range filled.Values {
			v.setting(name, part)
		}
	}
}

func (v *Vault) provider(spec *scenario.Provider) {
	v.keep(spec.APIKey)
	if spec.KeyFile != "" {
		if data, err := plainfile.Read(spec.KeyFile); err == nil { // one that cannot be read is reported when it is needed
			v.keep(string(data))
		}
	}
	for name, value := range spec.Headers {
		v.setting(name, value)
	}
	v.address(spec.BaseURL)
	if spec.Platform != nil {
		v.address(spec.Platform.Endpoint)
	}
}
