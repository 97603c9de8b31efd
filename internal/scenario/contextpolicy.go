package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// ContextPolicy limits how much of a conversation is sent to a model.
type ContextPolicy struct {
	Pos         diag.Pos
	Budget      int // tokens of a call; above 0
	Reserve     int // how many of them are reserved for the reply
	Strategy    ContextStrategy
	Breakpoints bool // mark in each call what should be cached for the next one
	Relevance   *Relevance
	Summarizer  Summarizer
}

// Summarizer is the provider whose model writes summaries.
type Summarizer struct {
	Pos diag.Pos
	ID  string // "": none
}

// ContextStrategy is what happens to messages that do not fit.
type ContextStrategy string

// The strategies. By default the oldest messages are left out.
const (
	LeaveOldest     ContextStrategy = "oldest"
	RefuseLonger    ContextStrategy = "fail"
	Summarize       ContextStrategy = "summarize"
	LeaveIrrelevant ContextStrategy = "relevance"
)

// Relevance selects messages that are similar to a query.
type Relevance struct {
	Pos       diag.Pos // of the provider
	Provider  string   // the provider of embeddings: a vendor, or the id of a provider of the project
	Model     string
	Recent    int     // number of latest messages that are always sent; 0: 3
	Least     float64 // minimum similarity of the other messages to the query; 0: any
	Query     string  // last_user, last_n or custom; "": last_user
	LastN     int     // number of messages in the query, with last_n
	OwnQuery  string  // the query, with custom
	KeepFound bool    // embeddings are kept for the next call
}

var contextPolicyFields = table("context_policy", func() rows[ContextPolicy] {
	return rows[ContextPolicy]{
		integer("token_budget", natural, func(p *ContextPolicy) *int { return &p.Budget }).
			doc("How many tokens the messages of a call may have, with the system prompt; 0 is no limit."),
		integer("reserve_for_output", natural, func(p *ContextPolicy) *int { return &p.Reserve }).
			doc("How many tokens of the budget are kept for the reply.").preset("0"),
		word("strategy", words("oldest", "fail", "summarize", "relevance"),
			func(p *ContextPolicy) *string { return (*string)(&p.Strategy) }).
			doc("What happens to messages that do not fit: the oldest are left out; the trial is an error (fail); a summary " +
				"stands for them, which a model writes (summarize); or those go that have least to do with what is asked " +
				"(relevance).").preset("oldest"),
		custom("summarizer", text, func(d *decoder, p *ContextPolicy, v *node.Node) {
			var ok bool
			if p.Summarizer.ID, ok = d.Name(v, "summarizer"); ok {
				d.refer(toProvider, v)
			}
			p.Summarizer.Pos = d.Pos(v)
		}).
			doc("The provider whose model writes the summaries, by its id, with strategy summarize. Its calls are paid for, " +
				"and told apart from those of the agent. Left out: the oldest messages are left out, and nothing stands for them."),
		flag("cache_breakpoints", func(p *ContextPolicy) *bool { return &p.Breakpoints }).
			doc("Marks what of requests is worth keeping for the next one, as prompt_caching does; for Anthropic's models."),
		objectPtr("relevance", part("relevance",
			custom("provider", text, readRelevanceProvider).must().
				doc("Whose embeddings say what is relevant: openai, gemini or voyageai, or the id of a provider with role: "+
					"embedding. One of the project with that type comes before a vendor's own."),
			label("model", func(r *Relevance) *string { return &r.Model }).asIs().
				doc("The model of the embeddings. Left out: that of the provider, or a small one of the vendor."),
			integer("min_recent_messages", natural, func(r *Relevance) *int { return &r.Recent }).
				doc("How many of the last messages stay before others.").preset("3"),
			inside[Relevance]("always_keep_system_role", boolean).doc("The system prompt always stays, whatever this says."),
			num("similarity_threshold", unit, func(r *Relevance) *float64 { return &r.Least }).
				doc("How similar a message must be to the query to stay, from 0 to 1; 0 is no limit."),
			word("query_source", words("last_user", "last_n", "custom"), func(r *Relevance) *string { return &r.Query }).
				doc("What messages are compared with: the last message of the user, the last messages, or a text.").
				preset("last_user"),
			integer("last_n_count", natural, func(r *Relevance) *int { return &r.LastN }).
				doc("How many messages the query is made of, with query_source last_n."),
			str("custom_query", func(r *Relevance) *string { return &r.OwnQuery }).
				doc("The query, with query_source custom."),
			flag("cache_embeddings", func(r *Relevance) *bool { return &r.KeepFound }).
				doc("Whether embeddings are kept for the next call of the conversation."),
		), func(p *ContextPolicy) **Relevance { return &p.Relevance }).
			doc("How relevant messages are found, with strategy relevance."),
	}
})

func readContextPolicy(d *decoder, s *Scenario, v *node.Node) {
	p := ContextPolicy{Pos: d.Pos(v)}
	if !contextPolicyFields.read(d, v, &p) {
		return
	}
	if r := p.Relevance; r != nil {
		if r.Query == "last_n" && r.LastN == 0 {
			d.Missing(v, "relevance with query_source last_n", "last_n_count")
		}
		if r.Query == "custom" && r.OwnQuery == "" {
			d.Missing(v, "relevance with query_source custom", "custom_query")
		}
		r.reportIdle(d, node.Get(v, "relevance"))
	}
	if p.Strategy == "" {
		p.Strategy = LeaveOldest
	}
	switch {
	case p.Budget > 0 && p.Reserve >= p.Budget:
		d.Errorf(node.Get(v, "reserve_for_output"), "context-budget", "reserve_for_output is %d, and token_budget %d: "+
			"nothing is left for the conversation", p.Reserve, p.Budget).Hint = "raise token_budget, or lower reserve_for_output"
	case p.Budget > 0: // 0 turns the policy off
		p.reportIdle(d, v)
		switch {
		case p.Strategy == LeaveIrrelevant && p.Relevance == nil && node.Get(v, "relevance") == nil:
			d.Missing(v, "context_policy with strategy relevance", "relevance").Hint =
				"say whose embeddings tell what is relevant: relevance: {provider: openai}"
		case p.Strategy != LeaveIrrelevant && p.Relevance != nil:
			d.Warnf(node.Get(v, "relevance"), NoEffect, "relevance has no effect with strategy %s", p.Strategy).Hint =
				"write strategy: relevance, or take it out"
		}
		s.Window = &p
	case !isNothing(node.Get(v, "token_budget")): // reported already
	case len(v.Content) > 2 || len(v.Content) > 0 && node.Get(v, "token_budget") == nil:
		d.Warnf(v, NoEffect, "context_policy has no effect without a token_budget above 0").Hint =
			"write how many tokens a call may have, or take the rest out"
	}
}

// reportIdle warns of keys without effect on summaries.
func (p *ContextPolicy) reportIdle(d *decoder, v *node.Node) {
	switch {
	case p.Strategy == Summarize && p.Summarizer.ID == "" && node.Get(v, "summarizer") == nil:
		d.Warnf(node.Get(v, "strategy"), NoEffect, "nobody summarizes: the oldest messages are left out, and nothing stands "+
			"for them").Hint = "write summarizer: <id of a provider>, or strategy: oldest"
	case p.Strategy != Summarize && p.Summarizer.ID != "":
		d.Warnf(node.Get(v, "summarizer"), NoEffect, "summarizer has no effect with strategy %s", p.Strategy).Hint =
			"write strategy: summarize, or take it out"
	}
}

// reportIdle warns of keys without effect on the query.
func (r *Relevance) reportIdle(d *decoder, v *node.Node) {
	query := cmp.Or(r.Query, "last_user")
	for _, one := range [...]struct{ key, of string }{{"custom_query", "custom"}, {"last_n_count", "last_n"}} {
		if at := node.Get(v, one.key); at != nil && query != one.of {
			d.Warnf(at, NoEffect, "%s has no effect with query_source %s", one.key, query).Hint =
				"write query_source: " + one.of + ", or take it out"
		}
	}
}

// String is a text that identifies the policy.
func (p *ContextPolicy) String() string {
	text := fmt.Sprintf("%s, token_budget %d, reserve_for_output %d", p.Strategy, p.Budget, p.Reserve)
	switch r := p.Relevance; {
	case p.Strategy == Summarize && p.Summarizer.ID != "":
		text += ", summarizer " + p.Summarizer.ID
	case p.Strategy == LeaveIrrelevant && r != nil:
		text += fmt.Sprintf(", provider %s, model %q, min_recent_messages %d, similarity_threshold %v, query %s %d %q",
			r.Provider, r.Model, r.Recent, r.Least, cmp.Or(r.Query, "last_user"), r.LastN, r.OwnQuery)
	}
	return text
}

// RelevanceVendors are the vendors of embeddings that need no provider in the project.
var RelevanceVendors = []string{"openai", "gemini", "voyageai"}

func readRelevanceProvider(d *decoder, r *Relevance, v *node.Node) {
	var ok bool
	if r.Provider, ok = d.Name(v, "provider"); ok && !slices.Contains(RelevanceVendors, r.Provider) {
		d.refer(toProvider, v)
	}
	r.Pos = d.Pos(v)
}

// Leaves says how many tokens the policy leaves to the conversation after a system prompt of this size.
func (p *ContextPolicy) Leaves(system int) string {
	var beside []string
	if p.Reserve > 0 {
		beside = append(beside, fmt.Sprintf("%d for the reply", p.Reserve))
	}
	if system > 0 {
		beside = append(beside, fmt.Sprintf("%d for the system prompt", system))
	}
	text := fmt.Sprintf("token_budget %d leaves %d", p.Budget, p.Budget-p.Reserve-system)
	if len(beside) > 0 {
		text += " beside " + strings.Join(beside, " and ")
	}
	return text
}

// isNothing reports whether a budget is missing or 0.
func isNothing(budget *node.Node) bool {
	if budget == nil {
		return true
	}
	n, err := strconv.ParseInt(budget.Value, 0, 64) // 00 and 0x0 are 0, too
	return err == nil && n == 0
}
