package cli

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// answerTime is how long an address may take to answer.
const answerTime = 15 * time.Second

// network tests the servers that the project needs.
func (x *examination) network(ctx context.Context) {
	if !x.online {
		x.found.missing("network", "nobody was asked; --online asks providers and MCP servers")
		return
	}
	if x.suite == nil {
		x.found.missing("network", "nobody was asked, because the files cannot be read")
		return
	}
	before := len(x.found)
	for _, p := range x.suite.Projects {
		asked := map[string]bool{}
		for _, spec := range p.Providers {
			if address := x.address(ctx, p, spec); address != nil && !asked[address.Host] {
				asked[address.Host] = true
				x.answers(ctx, spec, address)
			}
		}
		x.servers(ctx, p)
	}
	if len(x.found) == before {
		x.found.ok("network", "the project needs nobody")
	}
}

// address is the address of a model or an agent behind HTTP; nil if it uses no network or its address is invalid.
func (x *examination) address(ctx context.Context, p *scenario.Project, spec *scenario.Provider) *url.URL {
	if open.Local(spec.Type) {
		return nil
	}
	written, err := open.Write(ctx, spec, open.Options{Getenv: p.Getenv, Now: x.app.Now}, &chat.Request{
		Messages: []chat.Message{{Role: chat.User, Content: "Hello"}},
	})
	if err != nil {
		return nil // already reported
	}
	u, err := url.Parse(written.URL)
	if err != nil {
		return nil
	}
	return u
}

// answers sends a request without a key to the server of a provider. Any answer shows that the server is there.
func (x *examination) answers(ctx context.Context, spec *scenario.Provider, address *url.URL) {
	host := address.Scheme + "://" + address.Host
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dial.New(false), DisableKeepAlives: true,
	}
	client := &http.Client{Transport: transport, CheckRedirect: dial.Stay}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, host+"/", nil)
	var res *http.Response
	if err == nil {
		res, err = client.Do(req)
	}
	if err == nil {
		err = res.Body.Close()
	}
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		key := "base_url"
		if spec.HTTP != nil {
			key = "additional_config.url"
		}
		x.found.wrong("network", "check "+key+", the network and HTTPS_PROXY", "%s does not answer, for provider %s: %v",
			host, spec.ID, err)
		return
	}
	x.found.ok("network", "%s answers, for provider %s", host, spec.ID)
}

// servers starts the MCP servers of a project, and asks them and remote agents for their tools.
func (x *examination) servers(ctx context.Context, p *scenario.Project) {
	if len(p.Servers)+len(p.Agents) == 0 {
		return
	}
	bench, err := runner.NewWorkbench(p, nil)
	if err != nil {
		x.found.wrong("network", "", "%v", err)
		return
	}
	defer bench.Close()
	tools, failed := bench.List(ctx)
	for _, problem := range failed {
		x.found.wrong("network", "start it by hand to see what it says", "%v", problem)
	}
	if len(failed) == 0 {
		x.found.ok("network", "%s can be asked; with them the project has %s", whoServes(p),
			plural.Count(len(tools), "tool"))
	}
}

func whoServes(p *scenario.Project) string {
	switch {
	case len(p.Agents) == 0:
		return plural.Count(len(p.Servers), "MCP server")
	case len(p.Servers) == 0:
		return plural.Count(len(p.Agents), "remote agent")
	}
	return plural.Count(len(p.Servers), "MCP server") + " and " + plural.Count(len(p.Agents), "remote agent")
}
