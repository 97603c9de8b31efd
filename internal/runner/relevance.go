package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/textmeasure"
	"github.com/arena-evals/arena/internal/window"
)

// defaultRecent is the number of latest messages that are always kept first.
const defaultRecent = 3

// vendorEmbeddings are the embedding APIs of vendors, for projects without a provider. All use OpenAI's protocol.
var vendorEmbeddings = map[string]scenario.Provider{
	"openai": {Type: "openai", Model: "text-embedding-3-small"},
	"gemini": {
		Type: "openai-compatible", Model: "gemini-embedding-001", KeyEnv: "GEMINI_API_KEY",
		BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
	},
	"voyageai": {
		Type: "openai-compatible", Model: "voyage-3.5", KeyEnv: "VOYAGE_API_KEY", BaseURL: "https://api.voyageai.com/v1",
		Unsupported: []string{"encoding_format"},
	},
}

// relevanceProvider is the provider of embeddings for relevance: the provider of the project with that id or type, or
// the vendor.
func relevanceProvider(p *scenario.Project, r *scenario.Relevance) *scenario.Provider {
	_, vendor := vendorEmbeddings[r.Provider] // an agent may be named like its vendor
	at := slices.IndexFunc(p.Providers, func(q *scenario.Provider) bool {
		return q.Is(r.Provider) && (q.Role == "embedding" || !vendor)
	})
	if at < 0 {
		at = slices.IndexFunc(p.Providers, func(q *scenario.Provider) bool {
			return q.Role == "embedding" && q.Type == r.Provider && (r.Model == "" || r.Model == q.Model)
		})
	}
	var spec scenario.Provider
	if at >= 0 {
		if spec = *p.Providers[at]; r.Model == "" || r.Model == spec.Model {
			return p.Providers[at]
		}
	} else {
		spec = vendorEmbeddings[r.Provider]
		spec.ID, spec.Role, spec.Pos, spec.KeyPos = r.Provider, "embedding", r.Pos, r.Pos
	}
	if r.Model != "" {
		spec.Model = r.Model
	}
	return &spec
}

// relevanceModel is the embedding provider of the context policy of the trial; nil: none.
func (t *Trial) relevanceModel() *scenario.Provider {
	w := t.Scenario.Window
	if w == nil || w.Relevance == nil || t.Endpoint.Spec.IsAgent() || t.Project.basis.mocked {
		return nil
	}
	if t.Project.relevance[w.Relevance] == nil {
		return nil
	}
	return relevanceProvider(t.Project.Project, w.Relevance)
}

// windowEmbedders opens the embedding models of the context policies of scenarios.
func (m *matrix) windowEmbedders(
	p *scenario.Project, chosen []*scenario.Scenario,
) map[*scenario.Relevance]checks.Embedder {
	var all map[*scenario.Relevance]checks.Embedder
	for _, s := range chosen {
		if s.Window == nil || s.Skip != "" || s.Window.Strategy != scenario.LeaveIrrelevant || s.Window.Relevance == nil {
			continue
		}
		r := s.Window.Relevance
		spec := relevanceProvider(p, r)
		if spec.Role != "embedding" && !m.opts.MockProvider {
			m.refuseOnce(r.Pos, diag.Width(r.Provider), "cannot-embed",
				fmt.Sprintf("relevance: provider %s has no embeddings: its role is %s", spec.ID, spec.Role),
				"name a provider with role: embedding, or a vendor: "+strings.Join(slices.Sorted(maps.Keys(vendorEmbeddings)),
					", "))
			continue
		}
		if m.opts.OpenEmbedder == nil {
			continue
		}
		if all == nil {
			all = map[*scenario.Relevance]checks.Embedder{}
		}
		if m.opts.MockProvider {
			all[r] = noEmbedder{}
			continue
		}
		m.embedding = append(m.embedding, spec)
		e, err := m.opts.OpenEmbedder(p, spec)
		if err != nil {
			m.reportOpen(spec, err)
			continue
		}
		all[r] = e
	}
	return all
}

// errNoQuery is the error of a conversation without text to compare with.
var errNoQuery = errors.New("there is no text to compare messages with")

// similarities returns the similarity of each message to the query.
func (s *session) similarities(ctx context.Context, r *scenario.Relevance, items []window.Item) ([]float64, error) {
	embedder := s.trial.Project.relevance[r]
	if embedder == nil {
		return nil, errors.New("no embedding model is there")
	}
	query, err := s.relevanceQuery(r, items)
	if err != nil {
		return nil, err
	}
	texts, of := []string{query}, []int{}
	for i := range items {
		if _, known := s.window.vectors[i]; known || items[i].Kind == window.System {
			continue
		}
		if text := comparableText(&s.messages[i]); text != "" {
			texts, of = append(texts, text), append(of, i)
		}
	}
	turn := max(len(s.out.Turns)-1, 0)
	lanes := lanes{s: s}
	got, err := lanes.next(turn, "message", len(s.messages)+1, "context").Embedder(embedder).Embed(ctx, texts)
	s.advanceBy(&lanes, false)
	if err != nil {
		s.window.spend.addFailed(err, false)
		return nil, err
	}
	s.embeddedFor(relevanceProvider(s.trial.Project.Project, r), texts, &got)
	vectors := map[int][]float64{}
	maps.Copy(vectors, s.window.vectors)
	if len(got.Vectors) != len(texts) {
		return nil, fmt.Errorf("%d texts have %d embeddings", len(texts), len(got.Vectors))
	}
	if err := textmeasure.Comparable(texts, got.Vectors); err != nil {
		return nil, err
	}
	for k, i := range of {
		vectors[i] = got.Vectors[k+1]
	}
	sought, alike := got.Vectors[0], make([]float64, len(items))
	for i, v := range vectors {
		if len(v) != len(sought) || len(v) == 0 {
			return nil, fmt.Errorf("the embeddings differ in size: %d and %d numbers", len(sought), len(v))
		}
		alike[i] = textmeasure.Cosine(sought, v)
	}
	if r.KeepFound {
		s.window.vectors = vectors
	}
	return alike, nil
}

// embeddedFor adds the usage of embeddings. It is estimated for servers that report no tokens.
func (s *session) embeddedFor(spec *scenario.Provider, texts []string, got *chat.Embeddings) {
	if providers.Another(spec, got.Model) {
		s.notice(result.ServedBy("the provider "+say.Named(spec.ID), spec.Model, got.Model))
	}
	var took chat.Usage
	if got.Tokens != nil {
		took.InputTokens = *got.Tokens
	} else {
		took.Estimated = true
		for _, text := range texts {
			took.InputTokens += window.Text(text)
		}
	}
	cost := got.CostUSD
	if price := providers.PriceFor(spec); cost == nil && price != nil {
		cost = new(price.USD(took))
	}
	s.window.spend.add(&chat.Reply{Usage: took, CostUSD: cost, Cached: got.Cached}, false)
	s.window.asked = &chat.ContextCall{
		Provider: spec.ID, Model: cmp.Or(got.Model, spec.Model), Usage: took, CostUSD: cost, Cached: got.Cached,
	}
}

// relevanceQuery is the text that messages are compared with.
func (s *session) relevanceQuery(r *scenario.Relevance, items []window.Item) (string, error) {
	var words []string
	last := func(n int, fits func(window.Kind) bool) {
		for i := len(items) - 1; i >= 0 && n > 0; i-- {
			if items[i].Kind != window.System && fits(items[i].Kind) {
				words, n = append(words, comparableText(&s.messages[i])), n-1
			}
		}
		slices.Reverse(words)
	}
	every := func(window.Kind) bool { return true }
	switch r.Query {
	case "custom":
		text, err := s.values.at(noTurn).UserText(r.OwnQuery)
		if err != nil {
			return "", err
		}
		words = []string{text}
	case "last_n":
		last(r.LastN, every)
	default:
		if last(1, func(k window.Kind) bool { return k == window.User }); len(words) == 0 {
			last(1, every)
		}
	}
	query := strings.TrimSpace(strings.Join(words, " "))
	if query == "" {
		return "", errNoQuery
	}
	return query, nil
}

// comparableText is the text of a message: its words, its calls, or the result of a tool.
func comparableText(m *chat.Message) string {
	texts := []string{m.Text()}
	for i := range m.ToolCalls {
		args, _ := json.Marshal(m.ToolCalls[i].Args) // the value was decoded from JSON
		texts = append(texts, m.ToolCalls[i].Name+" "+string(args))
	}
	if r := m.ToolResult; r != nil && m.Text() == "" {
		texts = append(texts, r.Text())
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}
