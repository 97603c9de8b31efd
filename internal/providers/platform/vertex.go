package platform

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// Calls are the names of the two calls of a vendor's models: one for whole replies, one for streams. The latter may
// have a query.
type Calls struct{ Unstreamed, Stream string }

// Vertex is where Google hosts the models of a publisher.
func Vertex(spec *scenario.Provider, o wire.Options, publisher string, calls Calls) (wire.Endpoint, error) {
	region := spec.Platform.Region
	if region == "" {
		return wire.Endpoint{}, lacking(spec, "a region", "write region: global, or the name of one, such as us-east5")
	}
	project := cmp.Or(spec.Platform.Project, variable(&o, scenario.GoogleProjectVar))
	if project == "" {
		return wire.Endpoint{}, lacking(spec, "a project", "write project: with its id, or set GOOGLE_CLOUD_PROJECT")
	}
	host := "https://" + region + "-aiplatform.googleapis.com"
	if region == "global" {
		host = "https://aiplatform.googleapis.com"
	}
	u, err := base(spec, cmp.Or(spec.Platform.Endpoint, host))
	if err != nil {
		return wire.Endpoint{}, fmt.Errorf("provider %s: %w", spec.ID, err)
	}
	before := "/v1/projects/" + project + "/locations/" + region + "/publishers/" + publisher + "/models/"
	tokens := &googleTokens{spec: spec, o: o, credentials: newCredentialCache[*oauth2.Token]()}
	e := wire.Endpoint{
		URL: at(u, before, spec.Model, ":"+calls.Unstreamed), StreamURL: at(u, before, spec.Model, ":") + calls.Stream,
		Path: before + spec.Model + ":" + calls.Unstreamed, Header: wire.Header(spec.Headers, "Authorization"),
		Authorize: tokens.authorize, Hint: hint(tokens.from),
	}
	return e, tokens.check()
}

// cloudScope is what the tokens are good for.
const cloudScope = "https://www.googleapis.com/auth/cloud-platform"

// googleTokens are the access tokens of a provider.
type googleTokens struct {
	spec        *scenario.Provider
	o           wire.Options
	credentials *credentialCache[*oauth2.Token]
}

// check reports a named file that is missing, before the first call. It opens no connection.
func (g *googleTokens) check() error {
	if file := g.file(); file != "" {
		if err := plainfile.Check(file); err != nil {
			return &providers.Error{
				Kind: providers.Auth, Provider: g.spec.ID, Final: true,
				Msg: fmt.Sprintf("the credentials from %s cannot be read: %v", g.from(), err),
			}
		}
		return nil // it is read when it is needed
	}
	_, err := providers.FindKey(g.spec, g.o.Getenv)
	return err
}

// file is the named file of credentials; "": none.
func (g *googleTokens) file() string {
	if g.spec.KeyFile != "" || g.spec.APIKey != "" || g.spec.KeyEnv != "" {
		return g.spec.KeyFile
	}
	return variable(&g.o, "GOOGLE_APPLICATION_CREDENTIALS")
}

// from says where the credentials come from.
func (g *googleTokens) from() string {
	switch file := variable(&g.o, "GOOGLE_APPLICATION_CREDENTIALS"); {
	case g.spec.KeyFile != "":
		return "the file " + g.spec.KeyFile
	case g.spec.KeyEnv != "":
		return g.spec.KeyEnv
	case g.spec.APIKey != "":
		return "credential.api_key"
	case file != "":
		return "GOOGLE_APPLICATION_CREDENTIALS"
	}
	return "the application default credentials"
}

// authorize puts a token into a request; stale is the header that was not accepted.
func (g *googleTokens) authorize(req *http.Request, _ *wire.Body, stale string) error {
	if g.o.Unsent {
		req.Header.Set("Authorization", "Bearer")
		return nil
	}
	header := func(t *oauth2.Token) string { return "Bearer " + t.AccessToken }
	token, err := g.credentials.get(req.Context(), func(t *oauth2.Token) bool {
		return t.Valid() && header(t) != stale
	}, g.fetch)
	if err != nil {
		return fmt.Errorf("%s: %w", g.from(), err)
	}
	req.Header.Set("Authorization", header(token))
	return nil
}

// fetch gets a token: as it stands in credential, by a key file, or in the way of Google's own programs.
func (g *googleTokens) fetch(ctx context.Context) (*oauth2.Token, error) {
	file := g.file()
	if file == "" {
		if key, err := providers.FindKey(g.spec, g.o.Getenv); err != nil || key.Value != "" {
			return &oauth2.Token{AccessToken: key.Value}, err
		}
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, client(&g.o))
	params := google.CredentialsParams{Scopes: []string{cloudScope}, EarlyTokenRefresh: time.Minute}
	find := google.FindDefaultCredentialsWithParams
	if file != "" {
		find = func(ctx context.Context, params google.CredentialsParams) (*google.Credentials, error) {
			return credentialsIn(ctx, file, params)
		}
	}
	found, err := find(ctx, params)
	if err != nil {
		return nil, err
	}
	return found.TokenSource.Token()
}

// credentialsIn reads the credentials of a file of any type, because the user named it.
func credentialsIn(ctx context.Context, file string, params google.CredentialsParams) (*google.Credentials, error) {
	data, err := plainfile.Read(file)
	if err != nil {
		return nil, err
	}
	var kind struct {
		Type google.CredentialsType `json:"type"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, fmt.Errorf("%s is no JSON with credentials", file)
	}
	return google.CredentialsFromJSONWithTypeAndParams(ctx, data, kind.Type, params)
}
