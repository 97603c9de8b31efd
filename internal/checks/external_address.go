package checks

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// address is a parameter with the address of an HTTP endpoint. ${NAME} in it is replaced by an environment variable.
type address string

func (*address) shape() keys.Shape {
	return keys.Own{Words: "http or https address", Doc: *filled.Schema(nil)}
}

func (p *address) take(b *binder, n *node.Node, what string) bool {
	text, ok := b.r.Name(n, what)
	if !ok {
		return false
	}
	*p = address(text)
	if strings.HasPrefix(text, "${") { // the variable may hold the scheme
		return true
	}
	filled := scenario.Expand(text, func(string) (string, bool) { return "1", true })
	if err := callable(filled.Text); err != nil {
		b.r.Errorf(n, "bad-url", "%s %v, found %q", what, err, text).Hint = "write it like https://evals.example.com/score"
		return false
	}
	return true
}

// callable returns why an address cannot be called; nil when it can.
func callable(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return fmt.Errorf("must be an address")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("must start with http:// or https://")
	case u.Hostname() == "":
		return fmt.Errorf("must name a host")
	}
	return nil
}

// unsetError says that an address needs a variable which is not set.
type unsetError struct{ name string }

func (e unsetError) Error() string { return "the environment has no " + e.name }

// resolve replaces the environment variables in the address.
func (p address) resolve(getenv func(string) (string, bool)) (scenario.Expanded, error) {
	filled := scenario.Expand(string(p), getenv)
	if len(filled.Unset) > 0 {
		return filled, unsetError{filled.Unset[0]}
	}
	if err := callable(filled.Text); err != nil {
		return filled, fmt.Errorf("%s %w", p, err)
	}
	return filled, nil
}

// preflight reports an address that is invalid with the current environment.
func (p address) preflight(what string, at diag.Pos, getenv func(string) (string, bool), d *diag.List) {
	_, err := p.resolve(getenv)
	var unset unsetError
	switch {
	case errors.As(err, &unset):
		d.Errorf(at, len([]rune(p)), "unset-variable", "%s: %v", what, err).Hint = setIt(unset.name)
	case err != nil:
		d.Errorf(at, len([]rune(p)), "bad-url", "%s: %v", what, err)
	}
}

// setIt is the advice for a variable that is not set.
func setIt(name string) string {
	return "set it, write it into .env, or give a default: ${" + name + ":-…}"
}
