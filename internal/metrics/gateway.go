package metrics

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/arena-evals/arena/internal/exposition"
)

// Gateway is a Pushgateway and the group that the metrics of a run replace there.
type Gateway struct {
	url            string
	user, password string
	group          []exposition.Label // the job first
}

// defaultJob is the job of the group where the address names none.
const defaultJob = "arena"

// encoded marks a label whose value is in base64 in the address, because the value is empty or has a slash.
const encoded = "@base64"

// ParseGateway reads the address of a Pushgateway: http://host:9091, followed by /metrics/job/NAME and /LABEL/VALUE for
// another group than the default one. A value may be in base64 after LABEL@base64, as the gateway defines it.
func ParseGateway(address string) (*Gateway, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("expected an address such as http://localhost:9091")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of a Pushgateway has no ? and no #")
	}
	g := &Gateway{user: u.User.Username(), group: []exposition.Label{{Name: "job", Value: defaultJob}}}
	g.password, _ = u.User.Password()
	base := u.EscapedPath()
	for _, job := range []string{"/job/", "/job" + encoded + "/"} {
		if at := strings.Index(base, Path+job); at >= 0 {
			if g.group, err = parseGroup(base[at+len(Path)+1:]); err != nil {
				return nil, err
			}
			base = base[:at]
			break
		}
	}
	g.url = (&url.URL{Scheme: u.Scheme, Host: u.Host}).String() + strings.TrimSuffix(base, "/")
	return g, nil
}

// parseGroup reads the path after /metrics/.
func parseGroup(path string) (group []exposition.Label, err error) {
	parts := strings.Split(strings.TrimSuffix(path, "/"), "/")
	if len(parts)%2 != 0 {
		return nil, errors.New("expected /metrics/job/NAME, with /LABEL/VALUE behind it any number of times")
	}
	seen := map[string]bool{}
	for i := 0; i < len(parts); i += 2 {
		name, inBase64 := strings.CutSuffix(parts[i], encoded)
		value, err := url.PathUnescape(parts[i+1])
		if err == nil && inBase64 {
			var decoded []byte
			decoded, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(value, "="))
			value = string(decoded)
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("the value %q of the label %q is not written as an address has it", parts[i+1], name)
		case !validLabel(name):
			return nil, fmt.Errorf("%q is no name for a label of the group", name)
		case seen[name]:
			return nil, fmt.Errorf("the group has two labels %q", name)
		case value == "" && (name == "job" || !inBase64):
			return nil, fmt.Errorf("the label %q of the group has no value", name)
		}
		seen[name] = true
		group = append(group, exposition.Label{Name: name, Value: value})
	}
	return group, nil
}

// Labels are the labels that the gateway adds to everything in the group.
func (g *Gateway) Labels() []string {
	var names []string
	for _, label := range g.group {
		names = append(names, label.Name)
	}
	return names
}

// String is the address without credentials.
func (g *Gateway) String() string { return g.url }

// target is the address of the group.
func (g *Gateway) target() string {
	var b strings.Builder
	b.WriteString(g.url + Path)
	for _, label := range g.group {
		name, value := label.Name, url.PathEscape(label.Value)
		switch {
		case label.Value == "":
			name, value = name+encoded, "="
		case strings.Contains(label.Value, "/") || label.Value == "." || label.Value == "..":
			name, value = name+encoded, base64.RawURLEncoding.EncodeToString([]byte(label.Value))
		}
		b.WriteString("/" + name + "/" + value)
	}
	return b.String()
}
