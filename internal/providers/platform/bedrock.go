package platform

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

const (
	bearerVar     = "AWS_BEARER_TOKEN_BEDROCK"
	keyVar        = "AWS_ACCESS_KEY_ID"
	framesOfAWS   = "application/vnd.amazon.eventstream"
	bedrockInvoke = "/invoke"
)

// Bedrock is where Amazon hosts models.
func Bedrock(spec *scenario.Provider, o wire.Options) (wire.Endpoint, error) {
	region := cmp.Or(spec.Platform.Region, variable(&o, scenario.AWSRegionVar, scenario.AWSOtherRegionVar))
	if region == "" {
		return wire.Endpoint{}, lacking(spec, "a region", "write region: with its name, such as us-east-1, or set AWS_REGION")
	}
	u, err := base(spec, cmp.Or(spec.Platform.Endpoint, "https://bedrock-runtime."+region+".amazonaws.com"))
	if err != nil {
		return wire.Endpoint{}, fmt.Errorf("provider %s: %w", spec.ID, err)
	}
	keys := &awsKeys{spec: spec, o: o, region: region, credentials: newCredentialCache[aws.Credentials](), now: o.Now}
	if keys.now == nil {
		keys.now = time.Now
	}
	e := wire.Endpoint{
		URL:       at(u, "/model/", spec.Model, bedrockInvoke),
		StreamURL: at(u, "/model/", spec.Model, "/invoke-with-response-stream"),
		Path:      "/model/" + spec.Model + bedrockInvoke, StreamKind: framesOfAWS, Events: newFrames,
		Header: wire.Header(spec.Headers, "Authorization"), Authorize: keys.authorize, Hint: hint(keys.from),
	}
	if e.Key, err = providers.FindKey(spec, o.Getenv, bearerVar); err != nil {
		return e, err
	}
	if keys.bearer = e.Key; e.Key.Value == "" {
		if _, err := keys.find(context.Background()); err != nil {
			return e, &providers.Error{
				Kind: providers.Auth, Provider: spec.ID, Final: true, Msg: "there are no credentials: " + err.Error(),
			}
		}
	}
	return e, nil
}

// awsKeys are the credentials of a provider: a bearer token, or the keys with which requests are signed.
type awsKeys struct {
	spec        *scenario.Provider
	o           wire.Options
	region      string
	bearer      providers.Key
	credentials *credentialCache[aws.Credentials]
	now         func() time.Time
}

// from says where the credentials come from.
func (k *awsKeys) from() string {
	switch {
	case k.bearer.Value != "":
		return k.bearer.From
	case variable(&k.o, keyVar) != "":
		return keyVar
	}
	file, profile := k.profile()
	return fmt.Sprintf("profile %s of %s", profile, file)
}

// authorize signs a request, or puts the token into it. stale is the header that was not accepted: keys may have been
// renewed since.
func (k *awsKeys) authorize(req *http.Request, body *wire.Body, stale string) error {
	if k.bearer.Value != "" {
		req.Header.Set("Authorization", "Bearer "+k.bearer.Value)
		return nil
	}
	keys, err := k.credentials.get(req.Context(), func(c aws.Credentials) bool {
		return !strings.Contains(stale, "Credential="+c.AccessKeyID+"/") || c.AccessKeyID == ""
	}, k.find)
	if err != nil {
		return err
	}
	sum := body.SHA256()
	signer := v4.NewSigner()
	return signer.SignHTTP(req.Context(), keys, req, hex.EncodeToString(sum[:]), "bedrock", k.region, k.now())
}

var errNoKeys = errors.New("set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write a " +
	"profile into the shared credentials file")

// find looks for keys in the environment, and then in a profile.
func (k *awsKeys) find(context.Context) (aws.Credentials, error) {
	if id := variable(&k.o, keyVar); id != "" {
		secret := variable(&k.o, "AWS_SECRET_ACCESS_KEY")
		if secret == "" {
			return aws.Credentials{}, errors.New("AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not")
		}
		return aws.Credentials{
			AccessKeyID: id, SecretAccessKey: secret, SessionToken: variable(&k.o, "AWS_SESSION_TOKEN"),
		}, nil
	}
	file, profile := k.profile()
	data, err := plainfile.Read(file)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("%w (%s)", errNoKeys, file)
	}
	values := section(string(data), profile)
	c := aws.Credentials{
		AccessKeyID: values["aws_access_key_id"], SecretAccessKey: values["aws_secret_access_key"],
		SessionToken: values["aws_session_token"],
	}
	if c.AccessKeyID == "" || c.SecretAccessKey == "" {
		return aws.Credentials{}, fmt.Errorf("%s has no keys for the profile %s", file, profile)
	}
	return c, nil
}

// profile is the shared credentials file and the profile in it that counts.
func (k *awsKeys) profile() (file, profile string) {
	home := variable(&k.o, "HOME", "USERPROFILE")
	return cmp.Or(variable(&k.o, "AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials")),
		cmp.Or(variable(&k.o, "AWS_PROFILE"), "default")
}

// section is the values of one section of a file in the form of AWS's tools.
func section(text, name string) map[string]string {
	values, within := map[string]string{}, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			within = strings.TrimSpace(strings.Trim(line, "[]")) == name
		case within:
			if key, value, ok := strings.Cut(line, "="); ok {
				values[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
			}
		}
	}
	return values
}
