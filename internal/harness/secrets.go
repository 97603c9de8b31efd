package harness

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
)

// Secrets knows the texts that arena must never write: keys of providers, passwords in addresses, and values in the
// environment, in headers and in the variables of programs whose names suggest secrets. It is safe for concurrent use.
type Secrets struct {
	secret.Guard

	mu       sync.Mutex
	origins  map[string]string // origin of each secret, for messages
	reported map[string]bool   // secrets that were reported as part of a name
}

// NewSecrets returns the secrets in an environment.
func NewSecrets(env map[string]string) *Secrets {
	s := &Secrets{}
	for name, value := range env {
		s.learnVariable(name, value)
	}
	return s
}

// minVariable is the minimum length of a secret in an environment variable. Shorter values are switches and numbers
// whose names only sound like secrets.
const minVariable = 6

func (s *Secrets) learnVariable(name, value string) {
	if secret.NamesSecret(name) && len(strings.TrimSpace(value)) >= minVariable && !namesFile(name, value) {
		s.learn("the variable "+name, value)
	}
	s.learnPasswords("the address of the variable "+name, value)
	if !namesFile(name, value) {
		s.learnForms(name, value)
	}
	if document := documentIn(value); document != nil {
		s.learnNamed("", document)
	}
}

// documentIn is the JSON document in a value, plain or in base64, such as credentials of clouds; nil: none.
func documentIn(value string) (document any) {
	text := []byte(strings.TrimSpace(value))
	if len(text) > 0 && text[0] == 'e' { // base64 of {
		plain, err := base64.StdEncoding.DecodeString(string(text))
		if err != nil {
			return nil
		}
		text = plain
	}
	if len(text) == 0 || text[0] != '{' && text[0] != '[' || json.Unmarshal(text, &document) != nil {
		return nil
	}
	return document
}

// systemVariables are variables of systems and terminals that are never secret.
var systemVariables = []string{
	"PWD", "OLDPWD", "SSH_AUTH_SOCK", "SESSION_MANAGER", "DESKTOP_SESSION", "DBUS_SESSION_BUS_ADDRESS",
	"XDG_SESSION_CLASS", "XDG_SESSION_DESKTOP", "XDG_SESSION_ID", "XDG_SESSION_PATH", "XDG_SESSION_TYPE",
	"TERM_SESSION_ID", "ITERM_SESSION_ID", "WT_SESSION",
}

// namesFile reports whether a value is the path of an existing file, or that of a system variable. The path of a file
// with a key is no secret.
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

// learn adds a secret. origin says in messages where it comes from.
func (s *Secrets) learn(origin, value string) {
	value = strings.TrimSpace(value)
	s.Learn(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.origins == nil {
		s.origins = map[string]string{}
	}
	if known := s.origins[value]; known == "" || origin < known { // the same in every run, although maps have no order
		s.origins[value] = origin
	}
}

// publicSettings are headers and parameters that are never secrets.
var publicSettings = map[string]bool{
	"accept": true, "content-type": true, "user-agent": true, "api-version": true, "referer": true, "http-referer": true,
	"x-title": true, "openai-organization": true, "openai-project": true, "openai-beta": true, "anthropic-version": true,
}

// minSecret is the minimum length of a value without blanks that is treated as a secret even if its name does not
// suggest it.
const minSecret = 12

func (s *Secrets) learnSetting(name, value string) {
	_, bare, scheme := strings.Cut(value, " ") // Bearer abc
	s.learnDocument(value)
	s.learnPasswords("an address", value)
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

// learnDocument learns the secrets in a value that is a JSON document, as in some headers.
func (s *Secrets) learnDocument(value string) {
	if document := documentIn(value); document != nil {
		s.learnField("", document)
	}
}

// learnField learns the secrets in the value of a field of a document.
func (s *Secrets) learnField(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			s.learnField(name, member)
		}
	case []any:
		for _, item := range v {
			s.learnField(name, item)
		}
	case string:
		s.learnSetting(name, v)
	}
}

// learnNamed learns only the values of a document whose field names suggest secrets. It is for bodies of requests, in
// which most values are no secrets.
func (s *Secrets) learnNamed(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			s.learnNamed(name, member)
		}
	case []any:
		for _, item := range v {
			s.learnNamed(name, item)
		}
	case string:
		if secret.NamesSecret(name) && !strings.Contains(v, "{{") && !strings.Contains(v, "${") {
			s.learnSetting(name, v)
			s.learnBase64("the setting "+name, v)
		}
	}
}

// learnAddress learns the password and the parameters in an address.
func (s *Secrets) learnAddress(text string) {
	if text == "" { // most checks have none
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
			s.learnSetting(name, value)
		}
	}
}

// WatchAll learns the secrets of all projects of a suite.
func (s *Secrets) WatchAll(suite *scenario.Suite) {
	for _, p := range suite.Projects {
		s.watchProject(p)
	}
}

// watchProject learns the keys of a project, and replaces Getenv by one that also learns the secrets that are looked up
// later, including those in .env.
func (s *Secrets) watchProject(p *scenario.Project) {
	for name, value := range p.Dotenv {
		s.learnVariable(name, value)
	}
	names := map[string]bool{}
	for _, spec := range p.Providers {
		s.learnProvider(spec)
		if spec.Program != nil {
			s.learnProgram(spec.Program.Env, p.Getenv)
		}
		if spec.HTTP != nil {
			for _, put := range spec.HTTP.FromEnv {
				s.learnSetting(put.Name, put.Value)
			}
			s.learnNamed("", spec.HTTP.Body)
		}
		names[spec.KeyEnv] = spec.KeyEnv != ""
	}
	for _, h := range p.Handlers {
		s.learnProgram(h.Env, p.Getenv)
	}
	for _, server := range p.Servers {
		s.learnServer(server, p.Getenv)
	}
	for _, t := range p.Tools {
		if t.Exec != nil {
			s.learnProgram(t.Exec.Env, p.Getenv)
		}
		if t.HTTP != nil {
			s.learnEndpoint(t.HTTP, p.Getenv)
		}
	}
	for _, a := range p.Agents {
		s.learnAgent(a, p.Getenv)
	}
	s.learnCommandLines(p)
	s.learnChecks(p)
	getenv := p.Getenv
	if getenv == nil {
		return
	}
	p.Getenv = func(name string) (string, bool) {
		value, set := getenv(name)
		if names[name] {
			s.learn("the variable "+name, value)
		} else {
			s.learnVariable(name, value)
		}
		return value, set
	}
	for name := range names {
		_, _ = p.Getenv(name)
	}
}

// WatchChecks learns the credentials that the checks of a suite send. Those of checks with placeholders are known only
// after the trials are planned.
func (s *Secrets) WatchChecks(suite *scenario.Suite) {
	for _, p := range suite.Projects {
		s.learnChecks(p)
	}
}

func (s *Secrets) learnChecks(p *scenario.Project) {
	getenv := p.Getenv
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	inventory.AllChecks(p, func(c *checks.Compiled) {
		s.LearnCheck(c, getenv)
	})
}

// LearnCheck learns the credentials that one check sends.
func (s *Secrets) LearnCheck(c *checks.Compiled, getenv func(string) (string, bool)) {
	headers, address := c.Sends(getenv)
	for name, value := range headers {
		s.learnSetting(name, value)
	}
	s.learnAddress(address)
	for _, inner := range c.Nested() {
		s.LearnCheck(inner, getenv)
	}
}

// learnProgram learns the environment that is set for a program, whatever the names of the variables.
func (s *Secrets) learnProgram(env []string, getenv func(string) (string, bool)) {
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	for _, entry := range env {
		name, value, sets := strings.Cut(entry, "=")
		if !sets {
			value, _ = getenv(name)
			s.learnSetting(name, value)
			continue
		}
		filled := scenario.Expand(value, getenv)
		s.learnSetting(name, filled.Text)
		for _, part := range filled.Values {
			s.learnSetting(name, part)
		}
	}
}

// learnServer learns the credentials for an MCP server. Values of headers that come from the environment are secrets,
// whatever their names.
func (s *Secrets) learnServer(server *scenario.Server, getenv func(string) (string, bool)) {
	s.learnProgram(server.Env, getenv)
	if server.Image != nil {
		s.learnProgram(server.Image.Env, getenv)
	}
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	s.learnAddress(scenario.Expand(server.URL, getenv).Text)
	for name, value := range server.Headers {
		filled := scenario.Expand(value, getenv)
		s.learnSetting(name, filled.Text)
		for _, part := range filled.Values {
			s.learn("the header "+name+" of a server", part)
		}
	}
	for _, arg := range server.Args {
		for _, part := range scenario.Expand(arg, getenv).Values {
			s.learnSetting("", part)
		}
	}
}

// learnEndpoint learns the credentials that a tool sends. Values of headers that come from the environment are secrets,
// whatever their names.
func (s *Secrets) learnEndpoint(h *scenario.HTTPTool, getenv func(string) (string, bool)) {
	s.learnAddress(h.URL)
	for _, headers := range []map[string]string{h.StaticHeads, h.Headers} {
		for name, value := range headers {
			s.learnSetting(name, value)
		}
	}
	s.learnHeaders(h.FromEnv, getenv)
}

// learnAgent learns the credentials for an agent.
func (s *Secrets) learnAgent(a *scenario.Agent, getenv func(string) (string, bool)) {
	s.learnAddress(a.URL)
	s.learn("the token of the agent "+a.Name, a.Token)
	for name, value := range a.Headers {
		s.learnSetting(name, value)
	}
	s.learnHeaders(append(slices.Clone(a.FromEnv), a.TokenFrom), getenv)
}

func (s *Secrets) learnHeaders(headers []scenario.EnvHeader, getenv func(string) (string, bool)) {
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

func (s *Secrets) learnProvider(spec *scenario.Provider) {
	key := "the key of the provider " + spec.ID
	s.learn(key, spec.APIKey)
	s.learn(key, spec.MisplacedKey)
	if spec.KeyFile != "" {
		if data, err := plainfile.Read(spec.KeyFile); err == nil { // one that cannot be read is reported when it is needed
			s.learn(key, string(data))
			if document := documentIn(string(data)); document != nil {
				s.learnNamed("", document)
			}
		}
	}
	for name, value := range spec.Headers {
		s.learnSetting(name, value)
	}
	s.learnAddress(spec.BaseURL)
	if spec.Platform != nil {
		s.learnAddress(spec.Platform.Endpoint)
	}
}
