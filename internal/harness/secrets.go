package harness

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
)

// Secrets knows what nothing may show that arena writes: the keys of providers, passwords in addresses, and what stands
// in the environment, in headers and in the environment of programs under a name that speaks of secrets. It is safe for
// concurrent use.
type Secrets struct {
	secret.Guard

	mu      sync.Mutex
	origins map[string]string // where a secret comes from, as messages say it, by its value
	told    map[string]bool   // secrets of which was told that they are a part of a name
}

// NewSecrets knows what stands in an environment.
func NewSecrets(env map[string]string) *Secrets {
	s := &Secrets{}
	for name, value := range env {
		s.variable(name, value)
	}
	return s
}

// minVariable is the length from which a variable of the environment is taken for a secret. Shorter ones are
// switches and numbers, whose names only sound like it.
const minVariable = 6

func (s *Secrets) variable(name, value string) {
	if secret.NamesSecret(name) && len(strings.TrimSpace(value)) >= minVariable && !namesFile(name, value) {
		s.learn("the variable "+name, value)
	}
	s.inAddress("the address of the variable "+name, value)
}

// systemVariables are variables of systems and terminals that hold no secret, whatever their names sound like.
var systemVariables = []string{
	"PWD", "OLDPWD", "SSH_AUTH_SOCK", "SESSION_MANAGER", "DESKTOP_SESSION", "DBUS_SESSION_BUS_ADDRESS",
	"XDG_SESSION_CLASS", "XDG_SESSION_DESKTOP", "XDG_SESSION_ID", "XDG_SESSION_PATH", "XDG_SESSION_TYPE",
	"TERM_SESSION_ID", "ITERM_SESSION_ID", "WT_SESSION",
}

// namesFile reports whether a value only says where something is, or is that of a variable of the system: a file with a
// key is no key.
func namesFile(name, value string) bool {
	if slices.Contains(systemVariables, name) {
		return true
	}
	value = strings.TrimSpace(value)
	path := filepath.IsAbs(value)
	for _, end := range []string{"_file", "_path", "_dir", "_sock"} {
		path = path || strings.HasSuffix(strings.ToLower(name), end)
	}
	return path && exists(value)
}

// learn adds a secret, and says in messages where it comes from.
func (s *Secrets) learn(origin, value string) {
	value = strings.TrimSpace(value)
	s.Learn(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.origins == nil {
		s.origins = map[string]string{}
	}
	if known := s.origins[value]; known == "" || origin < known { // whatever the order of maps
		s.origins[value] = origin
	}
}

// publicSettings are headers and parameters that everybody may know, whatever their length.
var publicSettings = map[string]bool{
	"accept": true, "content-type": true, "user-agent": true, "api-version": true, "referer": true, "http-referer": true,
	"x-title": true, "openai-organization": true, "openai-project": true, "openai-beta": true, "anthropic-version": true,
}

// minSecret is the length from which a value without blanks is taken for a secret though its name does not say so.
const minSecret = 12

func (s *Secrets) setting(name, value string) {
	_, bare, scheme := strings.Cut(value, " ") // Bearer abc
	s.document(value)
	s.inAddress("an address", value)
	origin := "the setting " + name
	if name == "" {
		origin = "an argument of a program"
	}
	switch {
	case publicSettings[strings.ToLower(name)], namesFile(name, value):
	case secret.NamesSecret(name) && scheme:
		s.learn(origin, bare)
		s.learn(origin, value)
	case secret.NamesSecret(name):
		s.learn(origin, value)
	case len(value) >= minSecret && !strings.ContainsAny(value, " \t"):
		s.learn(origin, value)
	}
}

// document learns what stands in a value that is a JSON document, as that of some headers is.
func (s *Secrets) document(value string) {
	if value = strings.TrimSpace(value); value == "" || value[0] != '{' && value[0] != '[' {
		return
	}
	var v any
	if json.Unmarshal([]byte(value), &v) == nil {
		s.within("", v)
	}
}

// within learns what stands in the value of a field of a document.
func (s *Secrets) within(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			s.within(name, member)
		}
	case []any:
		for _, item := range v {
			s.within(name, item)
		}
	case string:
		s.setting(name, v)
	}
}

// named learns the values of a document whose fields have names of secrets. Others, of which a request is full, are none.
func (s *Secrets) named(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			s.named(name, member)
		}
	case []any:
		for _, item := range v {
			s.named(name, item)
		}
	case string:
		if secret.NamesSecret(name) && !strings.Contains(v, "{{") && !strings.Contains(v, "${") {
			s.setting(name, v)
		}
	}
}

// address learns the password and the parameters of an address.
func (s *Secrets) address(text string) {
	if text == "" { // as that of nearly every check
		return
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return
	}
	if password, set := u.User.Password(); set {
		s.learn("a password in an address", password)
	} else if user := u.User.Username(); len(user) >= minSecret {
		s.learn("a user in an address", user)
	}
	for name, values := range u.Query() {
		for _, value := range values {
			s.setting(name, value)
		}
	}
}

// WatchAll learns the secrets of all projects of a suite.
func (s *Secrets) WatchAll(suite *scenario.Suite) {
	for _, p := range suite.Projects {
		s.watchProject(p)
	}
}

// watchProject learns the keys of a project, and what is looked up in its environment, .env included.
func (s *Secrets) watchProject(p *scenario.Project) {
	for name, value := range p.Dotenv {
		s.variable(name, value)
	}
	names := map[string]bool{}
	for _, spec := range p.Providers {
		s.provider(spec)
		if spec.Program != nil {
			s.program(spec.Program.Env, p.Getenv)
		}
		if spec.HTTP != nil {
			for _, put := range spec.HTTP.FromEnv {
				s.setting(put.Name, put.Value)
			}
			s.named("", spec.HTTP.Body)
		}
		names[spec.KeyEnv] = spec.KeyEnv != ""
	}
	for _, h := range p.Handlers {
		s.program(h.Env, p.Getenv)
	}
	for _, server := range p.Servers {
		s.server(server, p.Getenv)
	}
	for _, t := range p.Tools {
		if t.Exec != nil {
			s.program(t.Exec.Env, p.Getenv)
		}
		if t.HTTP != nil {
			s.endpoint(t.HTTP, p.Getenv)
		}
	}
	for _, a := range p.Agents {
		s.agent(a, p.Getenv)
	}
	s.commandLines(p)
	s.checks(p)
	getenv := p.Getenv
	if getenv == nil {
		return
	}
	p.Getenv = func(name string) (string, bool) {
		value, set := getenv(name)
		if names[name] {
			s.learn("the variable "+name, value)
		} else {
			s.variable(name, value)
		}
		return value, set
	}
	for name := range names {
		_, _ = p.Getenv(name)
	}
}

// WatchChecks learns what the checks of a suite send to prove who they are. That of checks with
// placeholders is known once the trials are planned.
func (s *Secrets) WatchChecks(suite *scenario.Suite) {
	for _, p := range suite.Projects {
		s.checks(p)
	}
}

func (s *Secrets) checks(p *scenario.Project) {
	getenv := p.Getenv
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	runner.EachCheck(p, func(c *checks.Compiled) {
		s.Check(c, getenv)
	})
}

// Check learns what one check sends to prove who it is.
func (s *Secrets) Check(c *checks.Compiled, getenv func(string) (string, bool)) {
	headers, address := c.Sends(getenv)
	for name, value := range headers {
		s.setting(name, value)
	}
	s.address(address)
	for _, inner := range c.Nested() {
		s.Check(inner, getenv)
	}
}

// program learns what is handed to a program, also by variables of other names.
func (s *Secrets) program(env []string, getenv func(string) (string, bool)) {
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	for _, entry := range env {
		name, value, sets := strings.Cut(entry, "=")
		if !sets {
			value, _ = getenv(name)
			s.setting(name, value)
			continue
		}
		filled := scenario.Expand(value, getenv)
		s.setting(name, filled.Text)
		for _, part := range filled.Values {
			s.setting(name, part)
		}
	}
}

// server learns what an MCP server is given to prove who asks. What its headers have from the environment is a secret
// whatever their names.
func (s *Secrets) server(server *scenario.Server, getenv func(string) (string, bool)) {
	s.program(server.Env, getenv)
	if server.Image != nil {
		s.program(server.Image.Env, getenv)
	}
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	s.address(scenario.Expand(server.URL, getenv).Text)
	for name, value := range server.Headers {
		filled := scenario.Expand(value, getenv)
		s.setting(name, filled.Text)
		for _, part := range filled.Values {
			s.learn("the header "+name+" of a server", part)
		}
	}
	for _, arg := range server.Args {
		for _, part := range scenario.Expand(arg, getenv).Values {
			s.setting("", part)
		}
	}
}

// endpoint learns what a tool sends to prove who it is. What a header has from the environment is a secret whatever its
// name.
func (s *Secrets) endpoint(h *scenario.HTTPTool, getenv func(string) (string, bool)) {
	s.address(h.URL)
	for _, headers := range []map[string]string{h.StaticHeads, h.Headers} {
		for name, value := range headers {
			s.setting(name, value)
		}
	}
	s.fromEnv(h.FromEnv, getenv)
}

// agent learns what an agent is told to know who asks.
func (s *Secrets) agent(a *scenario.Agent, getenv func(string) (string, bool)) {
	s.address(a.URL)
	s.learn("the token of the agent "+a.Name, a.Token)
	for name, value := range a.Headers {
		s.setting(name, value)
	}
	s.fromEnv(append(slices.Clone(a.FromEnv), a.TokenFrom), getenv)
}

func (s *Secrets) fromEnv(headers []scenario.EnvHeader, getenv func(string) (string, bool)) {
	if getenv == nil {
		return
	}
	for _, from := range headers {
		value, _ := getenv(from.Variable)
		s.learn("the variable "+from.Variable, value)
		if _, bare, scheme := strings.Cut(value, " "); scheme {
			s.learn("the variable "+from.Variable, bare)
		}
	}
}

func (s *Secrets) provider(spec *scenario.Provider) {
	key := "the key of the provider " + spec.ID
	s.learn(key, spec.APIKey)
	if spec.KeyFile != "" {
		if data, err := plainfile.Read(spec.KeyFile); err == nil { // one that cannot be read is reported when it is needed
			s.learn(key, string(data))
		}
	}
	for name, value := range spec.Headers {
		s.setting(name, value)
	}
	s.address(spec.BaseURL)
	if spec.Platform != nil {
		s.address(spec.Platform.Endpoint)
	}
}
