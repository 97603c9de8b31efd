package scenario

import (
	"encoding/json"
	"time"

	"github.com/arena-evals/arena/internal/diag"
)

// Provider is a model endpoint as configured.
type Provider struct {
	Meta
	File     string `digest:"-"`
	Dir      string `digest:"-"` // against which its files resolve
	Type     string // canonical: mock, openai, anthropic, gemini, ollama, azure, openai-compatible, …
	Model    string
	Role     string            // llm is the default
	Group    string            // default is the default
	Grouped  bool              `digest:"-"` // the config wrote a group
	GroupPos diag.Pos          `digest:"-"` // where
	BaseURL  string            `digest:"-"` // without keys it is part of the digest
	Headers  map[string]string `digest:"-"` // without keys they are part of the digest
	APIKey   string            `digest:"-"` // literal, after ${VAR} expansion
	KeyUnset string            `digest:"-"` // the variable that APIKey needs and that is not set; "": none
	Unset    []Unset           `digest:"-"` // variables of the address and the headers that are not set
	KeyEnv   string            `digest:"-"` // credential_env
	// MisplacedKey is a credential_env that is not a variable name: probably a key.
	MisplacedKey string `digest:"-"`
	KeyFile      string `digest:"-"`
	Platform     *Platform
	Temperature  *float64
	TopP         *float64
	MaxTokens    *int
	Tuning
	Pricing           *Pricing
	Prices            ModelPrices     // of the config of the project, as far as they can matter; see Project.Priced
	RPS               float64         `digest:"-"` // 0: no limit
	Burst             int             `digest:"-"`
	Capabilities      []string        // nil: not declared
	Unsupported       []string        // request parameters to leave out
	Extra             json.RawMessage // additional_config, for types that read settings of their own from it
	RequestTimeout    time.Duration
	StreamIdleTimeout time.Duration
	MaxConcurrent     int          `digest:"-"` // stream_max_concurrent; 0: no limit
	Transport         Transport    `digest:"-"`
	Breaker           Breaker      `digest:"-"`
	Retry             *RetryPolicy `digest:"-"`
	MockFile          string       `digest:"-"` // additional_config.mock_config, absolute or against the working directory
	MockPos           diag.Pos
	Mock              *MockFile // loaded; nil when MockFile is ""
	Replay            *Replay
	Program           *Program   // of type command
	HTTP              *HTTPAgent // of type http
	KeyPos            diag.Pos
}

// Environment variables with the addresses of providers.
const (
	AzureEndpointVar  = "AZURE_OPENAI_ENDPOINT"
	GoogleProjectVar  = "GOOGLE_CLOUD_PROJECT"
	AWSRegionVar      = "AWS_REGION"
	AWSOtherRegionVar = "AWS_DEFAULT_REGION"
)

// AddressVariables are the environment variables with the provider's address; nil if its file has the address, or if it
// is always the same.
func (p *Provider) AddressVariables() []string {
	host := p.Platform
	switch {
	case p.Type == "mock" || p.Type == "replay":
	case (p.Type == "azure" || host != nil && host.Type == "azure") && p.BaseURL == "" &&
		(host == nil || host.Endpoint == ""):
		return []string{AzureEndpointVar}
	case host != nil && host.Type == "bedrock" && host.Region == "":
		return []string{AWSRegionVar, AWSOtherRegionVar}
	case host != nil && host.Type == "vertex" && host.Project == "":
		return []string{GoogleProjectVar}
	}
	return nil
}

// Platform is cloud hosting of a model.
type Platform struct {
	Type, Region, Project, Endpoint string
	APIVersion                      string
	Pos                             diag.Pos
}

// MockPer1K is the default price of a thousand tokens of a mock in USD, so that cost limits can be tried without a
// model.
const MockPer1K = 0.01

// Pricing in USD per 1,000 tokens.
type Pricing struct {
	InputPer1K, OutputPer1K float64
	CachedPer1K             *float64 // nil: as input
	CacheWritePer1K         *float64 // nil: as input
}

// Breaker configures the circuit breaker; zero fields are the defaults.
type Breaker struct {
	MaxFailures *int          // in a row; 0: it is called whatever happens
	ProbeAfter  time.Duration // until one call tries again
}

// Transport is how the connections of a provider are kept; zero fields are the defaults.
type Transport struct {
	MaxConns, MaxIdleConns int
	IdleTimeout            time.Duration
}

// RetryPolicy of a provider; zero fields are the defaults.
type RetryPolicy struct {
	PerSecond float64 // retries of all calls, after a first Burst of them; 0: no limit
	Burst     int
	Attempts  int
	BaseDelay time.Duration
	MaxDelay  time.Duration
}

// Replay configures a provider that answers from recordings.
type Replay struct {
	Recordings []string `digest:"-"` // files, as the system knows them; patterns are resolved
	Session    string   // id of the one session to answer from; "": by the scenario
	Timing     string   // instant, realtime, accelerated
	Match      string   // turn, content
	Tools      string   // recorded, execute; "": recorded where there is a result, else executed
	Speed      float64
	Pos        diag.Pos // of the recordings
	SessionPos diag.Pos
}
