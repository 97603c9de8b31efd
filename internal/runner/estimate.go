package runner

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Assumptions of an estimate where the files say nothing. A token counts as four characters, which is about right for
// English text.
const (
	charactersPerToken = 4
	ReplyTokens        = 300  // of a reply, unless max_tokens is less
	VerdictTokens      = 150  // of what a judge answers
	UserTokens         = 60   // of a message that a model writes for a user
	SummaryTokens      = 200  // of a summary of what is left out of a conversation, at most
	summaryTaskTokens  = 150  // instructions to the model that summarizes, besides the conversation
	criteriaTokens     = 400  // instructions to a judge, besides the conversation
	mediaTokens        = 1000 // of an image, a sound or another part that is no text
	toolRounds         = 1    // calls of the model in a turn that it spends on tools, where it is offered any
	toolResultTokens   = 100
)

// Expense is the expected usage of one model in a trial.
type Expense struct {
	Model *scenario.Provider
	Judge bool // a judge; otherwise the agent, or
	User  bool // a model that plays the user
	// Context says that the context policy calls it.
	Context bool
	// Simulated says that a mock or a recording answers: nothing is paid.
	Simulated bool
	Calls     float64
	Usage     chat.Usage
	USD       *float64 // nil: the price is not known
}

// Estimate returns the expected usage of a trial, from the lengths of its texts: the agent, then the models that play
// the user, then those of the context policy, and then the judges, by id. Self-play counts at its maximum. Mock models
// count like others; a recorded conversation has no agent. Embeddings of checks, programs and other servers are not
// included.
func (p *Plan) Estimate(t *Trial, calls CallParameters) []Expense {
	own := t.filled()
	t = &own
	e := estimate{
		trial: t, calls: calls, judges: map[*scenario.Provider]*Expense{}, users: map[*scenario.Provider]*Expense{},
		context: map[*scenario.Provider]*Expense{},
	}
	said := e.conversation()
	e.judging(said)
	var all []Expense
	if t.Recorded == nil && t.Finished == nil {
		all = append(all, e.agent)
	}
	byID := func(a, b *scenario.Provider) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Model, b.Model))
	}
	for _, beside := range []map[*scenario.Provider]*Expense{e.users, e.context, e.judges} {
		for _, spec := range slices.SortedFunc(maps.Keys(beside), byID) {
			all = append(all, *beside[spec])
		}
	}
	for i := range all {
		all[i].price()
	}
	return all
}

// price sets the cost.
func (x *Expense) price() {
	if price := priceOf(x.Model, x.Simulated); price != nil {
		x.USD = new(price.USD(x.Usage))
	}
}

// PriceOf is the price of the model of an endpoint; nil: not known.
func PriceOf(e *Endpoint) *providers.Price { return priceOf(e.Spec, e.Simulated) }

// priceOf is the price of a model. Recorded replies are free. Mocks have a price so that limits can be tried.
func priceOf(spec *scenario.Provider, simulated bool) *providers.Price {
	price := providers.PriceFor(spec)
	switch {
	case simulated && spec.Type == scenario.ReplayType:
		return &providers.Price{}
	case simulated && price == nil:
		return providers.MockPrice
	}
	return price
}

// estimate is the state of the estimate of one trial.
type estimate struct {
	trial  *Trial
	calls  CallParameters
	agent  Expense
	judges map[*scenario.Provider]*Expense
	users  map[*scenario.Provider]*Expense
	// context are the models that the context policy calls.
	context map[*scenario.Provider]*Expense
	left    int // tokens of the conversation that are not sent any more, minus those of their summary
	plain   int // tokens of messages, without the parts that only the agent sees
}

// conversation estimates the agent and who plays the user. It returns the tokens of the conversation after each turn of
// the scenario.
func (e *estimate) conversation() (said []int) {
	t := e.trial
	e.agent = Expense{Model: t.Endpoint.Spec, Simulated: t.Endpoint.Simulated}
	st := t.Project.stance(t.Prompt)
	context := 0
	if t.Prompt != nil {
		context = tokensOf(t.Prompt.SystemTemplate)
		for _, text := range t.Prompt.Fragments {
			context += tokensOf(text)
		}
	}
	rounds := 1
	if len(st.offered) > 0 {
		rounds += toolRounds
		for _, tool := range st.offered {
			context += tokensOf(tool.Name) + tokensOf(tool.Description) + tokensOf(string(tool.Schema))
		}
	}
	rounds = max(rounds, modelSteps(t))
	reply := e.replyTokens(t.Prompt)
	values := valuesOf(t)
	for i := range t.Scenario.Turns {
		turn := &t.Scenario.Turns[i]
		if p := t.players.at(i); p != nil {
			context = e.generated(p, turn, context, rounds, reply)
			said = append(said, context)
			continue
		}
		words := turn.Content
		if t.Scenario.Row != nil && !turn.Literal {
			words, _ = values.at(i).UserText(words) // errors of rows cost nothing
		}
		context += tokensOf(words)
		e.plain += tokensOf(words) + reply
		for _, part := range turn.Parts {
			if part.Text != "" {
				context += tokensOf(part.Text)
			} else {
				context += mediaTokens
			}
		}
		context = e.answers(context, rounds, reply)
		said = append(said, context)
	}
	return said
}

// answers estimates the calls of the agent in a turn. It returns the tokens of the conversation after it.
func (e *estimate) answers(context, rounds, reply int) int {
	for range rounds {
		e.agent.Calls++
		e.agent.Usage.InputTokens += e.sent(context)
		e.agent.Usage.OutputTokens += reply
		context += reply
	}
	return context + (rounds-1)*toolResultTokens
}

// sent is the number of tokens of a conversation that are sent under the context policy. Calls of the policy are added
// to their models.
func (e *estimate) sent(context int) int {
	w, t := e.trial.Scenario.Window, e.trial
	if w == nil || w.Strategy == scenario.RefuseLonger || t.Endpoint.Spec.IsAgent() {
		return context
	}
	room, now := w.Budget-w.Reserve, context-e.left
	if now <= room {
		return now
	}
	switch model := t.relevanceModel(); {
	case t.summarizer != nil:
		kept, summary := room/2, min(room/4, SummaryTokens)
		x := e.contextExpense(t.summarizer.Spec, t.summarizer.Simulated)
		x.Calls++
		x.Usage.InputTokens += now - kept + summaryTaskTokens
		x.Usage.OutputTokens += summary
		e.left = context - kept - summary
		return kept + summary
	case model != nil:
		x := e.contextExpense(model, false)
		x.Calls++
		x.Usage.InputTokens += context
	}
	return room
}

// contextExpense is the expense of a model that the context policy calls.
func (e *estimate) contextExpense(spec *scenario.Provider, simulated bool) *Expense {
	for known, x := range e.context {
		if known.ID == spec.ID && known.Model == spec.Model { // providers of a vendor are created anew each time
			return x
		}
	}
	x := &Expense{Model: spec, Context: true, Simulated: simulated}
	if e.trial.Recorded == nil && e.trial.Finished == nil {
		e.context[spec] = x
	}
	return x
}

// generated estimates a turn of self-play: as many messages as the persona may say, each as long as a user's.
func (e *estimate) generated(p *player, turn *scenario.Turn, context, rounds, reply int) int {
	t := e.trial
	x := e.users[p.endpoint.Spec]
	if x == nil {
		x = &Expense{Model: p.endpoint.Spec, User: true, Simulated: p.endpoint.Simulated}
		if t.Recorded == nil && t.Finished == nil {
			e.users[p.endpoint.Spec] = x
		}
	}
	told, _ := scenario.PersonaPrompt(p.persona, t.Prompt, t.Scenario, t.Region) // errors of rows cost nothing
	words := min(userParameters(p.persona, turn).maxTokens, UserTokens)
	system := tokensOf(told) + tokensOf(conversationBegins)
	for range turn.Most() {
		x.Calls++
		x.Usage.InputTokens += system + e.plain
		x.Usage.OutputTokens += words
		context = e.answers(context+words, rounds, reply)
		e.plain += words + reply
	}
	return context
}

// modelSteps is how many steps of a composition ask a model in a turn; 0 without one.
func modelSteps(t *Trial) (n int) {
	if t.Start == nil {
		return 0
	}
	c := t.Project.compositions[t.Start.Composition]
	if c == nil {
		return 0
	}
	for step := range c.All() {
		if step.Kind == composition.Prompt || step.Kind == composition.Agent {
			n++
		}
	}
	return n
}

// replyTokens is the expected length of a reply.
func (e *estimate) replyTokens(prompt *scenario.Prompt) int {
	spec := e.trial.Endpoint.Spec
	var params scenario.Parameters
	if prompt != nil {
		params = scenario.ModelParameters(prompt, spec.Model)
	}
	limit := firstSet(e.calls.MaxTokens, e.trial.Project.Defaults.MaxTokens, params.MaxTokens, spec.MaxTokens)
	if limit == nil {
		return ReplyTokens
	}
	return min(*limit, ReplyTokens)
}

// judging estimates the judges, by the tokens of the conversation after each turn.
func (e *estimate) judging(said []int) {
	t := e.trial
	whole := 0
	for i := range t.Scenario.Turns {
		whole = said[i]
		for range t.Scenario.Turns[i].Most() {
			e.asked(t.Scenario.Turns[i].Assertions, whole)
		}
	}
	e.asked(t.Project.Globals, whole)
	e.asked(t.Scenario.Conversation, whole)
	st, each := t.Project.stance(t.Prompt), e.eachReply(said)
	for _, ev := range st.evals {
		share, at := 1.0, []int{whole}
		if evals.PhaseOf(ev.Trigger) == evals.AfterTurn {
			at = each
		}
		if ev.Trigger == scenario.TriggerSampleTurns || ev.Trigger == scenario.TriggerSampleSessions {
			share = ev.SamplePct / 100
		}
		for _, tokens := range at {
			e.needs(ev.Compiled, tokens, share)
		}
	}
	if t.Prompt == nil {
		return
	}
	for _, g := range t.Prompt.Validators {
		for _, tokens := range each {
			if g.Enabled {
				e.needs(g.Compiled, tokens, 1)
			}
		}
	}
}

// eachReply has a value for each turn of the conversation: a turn of self-play becomes several.
func (e *estimate) eachReply(said []int) (each []int) {
	for i := range e.trial.Scenario.Turns {
		for range e.trial.Scenario.Turns[i].Most() {
			each = append(each, said[i])
		}
	}
	return each
}

func (e *estimate) asked(list []scenario.Placed, tokens int) {
	for i := range list {
		e.needs(list[i].Compiled, tokens, 1)
	}
}

// needs adds the judges of a check. share is the part of the cases in which it is asked.
func (e *estimate) needs(compiled any, tokens int, share float64) {
	check, _ := compiled.(*checks.Compiled)
	if open, ok := compiled.(*scenario.OpenCheck); ok {
		check, _ = open.Sample().(*checks.Compiled)
	}
	if check == nil {
		return
	}
	for _, need := range check.JudgeUses() {
		if spec := e.trial.Project.judgeModels[need.Use]; spec != nil {
			e.judge(spec, &need, tokens, share)
		}
	}
}

func (e *estimate) judge(spec *scenario.Provider, need *grading.Need, tokens int, share float64) {
	x := e.judges[spec]
	if x == nil {
		x = &Expense{Model: spec, Judge: true, Simulated: e.trial.Project.judges.Simulated()}
		e.judges[spec] = x
	}
	votes := float64(max(need.Votes, 1)) * share
	x.Calls += votes
	x.Usage.InputTokens += int(math.Ceil(votes * float64(tokens+criteriaTokens)))
	x.Usage.OutputTokens += int(math.Ceil(votes * VerdictTokens))
}

func tokensOf(text string) int {
	return (utf8.RuneCountInString(text) + charactersPerToken - 1) / charactersPerToken
}
