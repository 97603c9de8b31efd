package scenario

import (
	"net/textproto"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// providerFile is a provider as written in a file.
type providerFile struct {
	*Provider
	kind, config *node.Node
	base         *node.Node
	calls        callFile
	http         *httpFile // of type http; see agent
}

// providerFields are the keys of kind Provider.
var providerFields = table("a provider", func() rows[providerFile] {
	types := providerTypeWords()
	return rows[providerFile]{
		ownName[providerFile]("id"),
		ownName[providerFile]("name"),
		custom("type", types, func(d *decoder, p *providerFile, v *node.Node) {
			p.kind = v
			if word, ok := d.OneOf(v, "type", types...); ok {
				p.Type = ProviderTypeOf(word).Name
			} else if diag.Nearest(v.Value, types) == "" {
				d.Diags.Explain(d.Pos(v), "unknown-value", "a server that speaks OpenAI's protocol has the type "+
					"openai-compatible, with base_url; another endpoint is http, and a program command")
			}
		}).must().doc("Whose interface the model has; mock answers with canned replies."),
		label("model", func(p *providerFile) *string { return &p.Model }).asIs().
			doc("The model's name, as its provider writes it."),
		word("role", words("llm", "tts", "stt", "embedding", "image", "video", "inference"),
			func(p *providerFile) *string { return &p.Role }).doc("What the model is for; llm when left out, and of type " +
			"imagen image, or video for a model that is called veo-….").preset("llm"),
		custom("base_url", text, func(d *decoder, p *providerFile, v *node.Node) {
			p.base = v
			p.BaseURL = d.setting(v, "base_url", &p.Unset)
		}).doc("Where to reach it, if not at its usual place; may hold ${VARIABLES}."),
		custom("headers", textMap, func(d *decoder, p *providerFile, v *node.Node) {
			p.Headers = map[string]string{}
			d.Each(v, "headers", func(name string, k, value *node.Node) {
				text := d.setting(value, "headers."+name, &p.Unset)
				checkHeader(d, name, text, k, value)
				p.Headers[name] = text
			})
		}).doc("Further headers of the requests; may hold ${VARIABLES}."),
		custom("credential", credentialFields, func(d *decoder, p *providerFile, v *node.Node) {
			p.KeyPos = d.Pos(v)
			credentialFields.read(d, v, p.Provider)
		}).doc("The key, when it is not in the usual environment variable."),
		custom("platform", platformFields, func(d *decoder, p *providerFile, v *node.Node) {
			p.Platform = &Platform{Pos: d.Pos(v)}
			platformFields.read(d, v, p.Platform)
			if at := node.Get(v, "endpoint"); at != nil && p.Platform.Endpoint == "" {
				d.expand(at, at.Value, &p.Unset)
			}
		}).doc("The cloud that hosts the model."),
		custom("defaults", providerDefaults, func(d *decoder, p *providerFile, v *node.Node) {
			providerDefaults.read(d, v, &p.calls)
		}).doc("Parameters of the model calls."),
		objectPtr("pricing", part("pricing",
			num("input_cost_per_1k", price, func(p *Pricing) *float64 { return &p.InputPer1K }).must().
				doc("A thousand tokens of requests."),
			num("output_cost_per_1k", price, func(p *Pricing) *float64 { return &p.OutputPer1K }).must().
				doc("A thousand tokens of replies."),
			numPtr("cached_cost_per_1k", price, func(p *Pricing) **float64 { return &p.CachedPer1K }).
				doc("A thousand tokens of requests that were read from a cache."),
			numPtr("cache_write_cost_per_1k", price, func(p *Pricing) **float64 { return &p.CacheWritePer1K }).
				doc("A thousand tokens of requests that were written into a cache."),
		), func(p *providerFile) **Pricing { return &p.Pricing }).
			doc("Prices in US dollars, for models whose prices are not known."),
		remark[providerFile]("pricing_correct_at", text).doc("When somebody last looked at the prices, for people."),
		object("rate_limit", part("rate_limit",
			num("rps", positive, func(p *Provider) *float64 { return &p.RPS }).doc("Requests in a second. Left out: no limit."),
			integer("burst", natural, func(p *Provider) *int { return &p.Burst }).doc("How many may come at once."),
		), func(p *providerFile) *Provider { return p.Provider }).doc("The most requests in a second."),
		custom("capabilities", listOf(capabilities), readCapabilities).doc("What the model can do."),
		custom("unsupported_params", texts, func(d *decoder, p *providerFile, v *node.Node) {
			if list, ok := d.Strings(v, "unsupported_params"); ok {
				p.Unsupported = list
				checkUnsupported(d, v)
			}
		}).doc("Parameters that must not be sent."),
		idle[providerFile]("include_raw_output", boolean, "requests and replies are kept by --record"),
		dur("request_timeout", func(p *providerFile) *duration { return &p.RequestTimeout }).
			doc("The longest that a reply may take, such as 60s.").preset("60s"),
		dur("stream_idle_timeout", func(p *providerFile) *duration { return &p.StreamIdleTimeout }).
			doc("The longest silence within a stream, such as 30s.").preset("30s"),
		custom("stream_retry", retryFields, func(d *decoder, p *providerFile, v *node.Node) {
			var r retryFile
			if retryFields.read(d, v, &r); r.enabled {
				p.Retry = &r.RetryPolicy
			} else if r.RetryPolicy != (RetryPolicy{}) {
				d.Warnf(v, NoEffect, "stream_retry has no effect without enabled: true; failed calls are repeated as by default")
			}
		}).doc("Whether and how often failed requests are repeated."),
		integer("stream_max_concurrent", natural, func(p *providerFile) *int { return &p.MaxConcurrent }).
			doc("The most requests at once; 0 is no limit."),
		object("circuit_breaker", part("circuit_breaker",
			optionalInteger("max_failures", natural, func(b *Breaker) **int { return &b.MaxFailures }).preset("10").
				doc("Failures in a row after which nothing is called; 0 never gives up."),
			dur("probe_after", func(b *Breaker) *duration { return &b.ProbeAfter }).preset("30s").
				doc("After how long one call tries whether the model is back."),
		), func(p *providerFile) *Breaker { return &p.Breaker }).
			doc("When the model is no longer called because nobody is there, and when to try again."),
		object("http_transport", part("http_transport",
			integer("max_conns_per_host", natural, func(t *Transport) *int { return &t.MaxConns }).
				doc("The most connections at once."),
			integer("max_idle_conns_per_host", natural, func(t *Transport) *int { return &t.MaxIdleConns }).
				doc("The most connections that are kept open for later calls."),
			dur("idle_conn_timeout", func(t *Transport) *duration { return &t.IdleTimeout }).
				doc("How long they are kept open. Left out: 90s."),
		), func(p *providerFile) *Transport { return &p.Transport }).doc("Limits of the connections."),
		custom("additional_config", wireMap, func(_ *decoder, p *providerFile, v *node.Node) { p.config = v }).
			doc("Settings of this type of provider."),
		idle[providerFile]("voice", text, "this version does not support audio"),
		idle[providerFile]("sample_rate", natural, "this version does not support audio"),
		idle[providerFile]("audio_files", texts, "this version does not support audio"),
		gone[providerFile]("capability", "capability is an older name", "write role: llm, image, tts, stt, embedding, …"),
		gone[providerFile]("impl", "impl is an older name", "write type: with the name of the provider type"),
	}
}).strays(keyElsewhere)

// keyElsewhere says where the key of a provider belongs.
func keyElsewhere(name string) string {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) {
	case "apikey", "key", "token", "apitoken", "secret":
		return "keys stay out of files: set the variable that the type of provider looks for, such as OPENAI_API_KEY, or " +
			"name another: credential: {credential_env: NAME}"
	case "apikeyenv", "keyenv", "envkey":
		return "write credential: {credential_env: NAME}"
	}
	if providerDefaults.index(name) >= 0 {
		return "put it below defaults: defaults: {" + name + ": …}"
	}
	return ""
}

var credentialFields = table("credential", func() rows[Provider] {
	return rows[Provider]{
		custom("api_key", text, func(d *decoder, p *Provider, v *node.Node) {
			if !d.nameForKey(v) {
				p.APIKey, p.KeyUnset = d.keySetting(v)
			}
		}).doc("The key itself, best as ${VARIABLE}."),
		custom("credential_env", text, func(d *decoder, p *Provider, v *node.Node) { p.KeyEnv = d.keyVariable(v, p) }).
			doc("The environment variable that holds the key."),
		custom("credential_file", text, func(d *decoder, p *Provider, v *node.Node) {
			if name, ok := d.Name(v, "credential_file"); ok {
				path, _ := d.runtimePath(name)
				p.KeyFile = d.places.fs.access(path)
			}
		}).doc("The file that holds the key."),
	}
})

var platformFields = table("platform", func() rows[Platform] {
	return rows[Platform]{
		word("type", words("azure", "bedrock", "vertex"), func(p *Platform) *string { return &p.Type }).must().
			doc("The cloud."),
		str("region", func(p *Platform) *string { return &p.Region }).asIs().
			doc("The region in which the model is called."),
		str("project", func(p *Platform) *string { return &p.Project }).asIs().
			doc("The project that pays, on Vertex."),
		custom("endpoint", text, func(d *decoder, p *Platform, v *node.Node) {
			p.Endpoint = d.setting(v, "endpoint", &[]Unset{}) // reported for the provider
		}).
			doc("The address of the resource, on Azure; may hold ${VARIABLES}."),
		object("additional_config", platformConfigFields, func(p *Platform) *Platform { return p }).
			doc("Settings of the cloud."),
	}
})

var platformConfigFields = part("additional_config of a platform",
	str("api_version", func(p *Platform) *string { return &p.APIVersion }).asIs().
		doc("The version of the API, on Azure."),
)

// providerDefaults are the parameters of the calls of a model.
var providerDefaults = table("defaults", func() rows[callFile] {
	return append(once(callRows()), custom("prompt_caching", boolean, func(d *decoder, c *callFile, v *node.Node) {
		if on, ok := d.Bool(v, "prompt_caching"); ok && on {
			c.caching = v
		}
	}).doc("Marks what of requests is worth keeping; for Anthropic's models."))
})

type retryFile struct {
	RetryPolicy
	enabled bool
}

var retryFields = table("stream_retry", func() rows[retryFile] {
	return rows[retryFile]{
		flag("enabled", func(r *retryFile) *bool { return &r.enabled }).
			doc("Must be true for the settings beside it to count."),
		integer("max_attempts", counting, func(r *retryFile) *int { return &r.Attempts }).preset("4").
			doc("The most calls in all."),
		dur("initial_delay", func(r *retryFile) *duration { return &r.BaseDelay }).preset("500ms").
			doc("The first wait; each further one is longer."),
		dur("max_delay", func(r *retryFile) *duration { return &r.MaxDelay }).preset("30s").doc("The longest wait."),
		idle[retryFile]("retry_window", words("pre_first_chunk"), "once text has come, a call is never repeated",
			"pre_first_chunk"),
		object("budget", part("budget",
			num("rate_per_sec", positive, func(r *RetryPolicy) *float64 { return &r.PerSecond }).must().
				doc("Retries in a second."),
			integer("burst", natural, func(r *RetryPolicy) *int { return &r.Burst }).doc("How many may come at once."),
		), func(r *retryFile) *RetryPolicy { return &r.RetryPolicy }).doc("How many retries there may be in a time."),
	}
})

func readCapabilities(d *decoder, p *providerFile, v *node.Node) {
	if v.Kind == node.List && len(v.Content) > 0 && v.Content[0].Kind == node.Map {
		d.Errorf(v, "removed-field", "capabilities are words now, not objects").
			Hint = "write capabilities: [" + strings.Join(capabilities[:4], ", ") + "]"
		return
	}
	p.Capabilities = d.wordList(v, "capabilities", capabilities)
	if p.Capabilities == nil {
		p.Capabilities = []string{} // declared: none
	}
}

// provider reads a document of kind Provider. Its warnings are dropped in a run that does not use it.
func (d *decoder) provider(doc document) *Provider {
	all, own := d.Diags, &diag.List{}
	d.Diags = own
	defer func() {
		d.Diags = all
		all.Adopt(own, doc.meta.Pos)
	}()
	p := providerFile{Provider: &Provider{
		Meta: doc.meta, File: d.File, Dir: d.places.fs.access(d.places.run), Role: "llm", Group: "default",
	}}
	p.calls.seen, p.calls.provider = map[string]*node.Node{}, p.ID
	if !providerFields.read(d, doc.spec, &p) {
		return nil
	}
	if p.Type == "imagen" && node.Get(doc.spec, "role") == nil {
		if p.Role = "image"; strings.HasPrefix(p.Model, "veo-") { // what it makes is known
			p.Role = "video"
		}
	}
	d.untouched(doc.spec, "", p.Type)
	d.additional(doc.spec, &p)
	p.calls.tuning(p.Provider)
	if at := p.calls.caching; at != nil && p.Type != "anthropic" && ProviderTypeOf(p.Type).Available {
		d.Warnf(at, NoEffect, "prompt_caching has no effect with type %s: its servers decide by themselves", p.Type)
	}
	switch p.Type {
	case "anthropic":
		d.anthropic(&p)
	case "gemini":
		d.gemini(&p)
	case "openai", "azure":
		d.openai(&p)
	}
	d.connection(doc.spec, &p)
	if p.kind != nil && ProviderTypeOf(p.Type).foreign && !p.Classifies() {
		d.need("providers of type "+p.Type, p.kind, Feature{Provider: p.ID})
	}
	return p.Provider
}

// connection checks the keys that the type of a provider needs for a connection.
func (d *decoder) connection(n *node.Node, p *providerFile) {
	web := strings.HasPrefix(p.BaseURL, "http://") || strings.HasPrefix(p.BaseURL, "https://")
	if p.base != nil && p.BaseURL != "" && !web {
		d.Errorf(p.base, "wrong-type", "base_url must start with http:// or https://, found %q", p.BaseURL)
	}
	t := ProviderTypeOf(p.Type)
	if t.NeedsModel && p.Model == "" && (p.Role == "llm" || p.Makes() != "") {
		d.Missing(n, "a provider of type "+p.kind.Value, "model")
	}
	if t.NeedsBase && p.base == nil {
		d.Missing(n, "a provider of type "+p.kind.Value, "base_url")
	}
	if p.Type == "azure" && p.base == nil && (p.Platform == nil || p.Platform.Endpoint == "" && len(p.Unset) == 0) {
		d.Missing(n, "a provider of type azure", "base_url or platform.endpoint")
	}
	d.idleKeys(n, p)
	if p.Platform != nil && slices.Contains(clouds, p.Platform.Type) && !slices.Contains(t.Platforms, p.Platform.Type) {
		d.need("models on "+p.Platform.Type, node.Get(n, "platform"), Feature{Provider: p.ID})
	}
}

// idleKeys warns of keys that have no effect because of others.
func (d *decoder) idleKeys(n *node.Node, p *providerFile) {
	tell := func(at *node.Node, format string, args ...any) {
		if at != nil {
			d.Warnf(at, NoEffect, format, args...)
		}
	}
	if limit := node.Get(n, "rate_limit"); p.RPS == 0 {
		tell(node.Get(limit, "burst"), "burst has no effect without rps")
	}
	if p.Platform == nil || p.Platform.Type != "azure" {
		return
	}
	platform := node.Get(n, "platform")
	for _, key := range []string{"region", "project"} {
		tell(node.Get(platform, key), "%s has no effect on azure: the endpoint says where the model is", key)
	}
	if p.Platform.Endpoint != "" {
		tell(p.base, "base_url has no effect beside platform.endpoint")
	}
}

// ownHeaders are headers that arena sets, by their canonical name, with the key that decides their value.
var ownHeaders = map[string]string{
	"Authorization": "name the key under credential", "Api-Key": "name the key under credential",
	"Content-Type": "requests are JSON", "Content-Length": "it follows from the request",
	"Transfer-Encoding": "it follows from the request", "Host": "it follows from base_url",
}

// checkHeader refuses headers that would not be sent, or would make every call fail.
func checkHeader(d *decoder, name, value string, k, v *node.Node) {
	control := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	switch hint, own := ownHeaders[textproto.CanonicalMIMEHeaderKey(name)]; {
	case own:
		d.Errorf(k, "reserved-field", "headers cannot set %s: arena does", name).Hint = hint
	case name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	}):
		d.Errorf(k, "wrong-type", "%q is not the name of a header", name)
	case strings.ContainsFunc(value, control):
		d.Errorf(v, "wrong-type", "the value of the header %s holds a line break or another control character", name)
	}
}
