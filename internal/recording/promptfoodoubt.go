package recording

import (
	"cmp"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// furtherTurns tells of turns that a result of promptfoo holds beside its prompt and output: those of an attack that
// goes on over several messages, or of a user who was simulated. Only the last one is read.
func (b *builder) furtherTurns(o object, response value) {
	most := 0
	for _, metadata := range []value{o.get("metadata"), response.get("metadata")} {
		for _, name := range []string{"redteamhistory", "messages", "conversation", "history"} {
			n := 0
			for item := range metadata.get(name).items {
				role, _ := item.get("role").str()
				if role == "user" || item.get("role").missing() && !item.get("prompt").or(item.get("input")).missing() {
					n++
				}
			}
			most = max(most, n)
		}
	}
	if most > 1 {
		b.doubtf("the metadata hold a conversation of %d turns, of which what stands as prompt and output is judged", most)
	}
}

// doubtRaw compares the answer of the server with what promptfoo made of it. Its text may be another one: a transform
// makes it.
func (b *builder) doubtRaw(response value) {
	raw := nestedJSON(response.get("raw"))
	if raw.kind() != '{' {
		return
	}
	if o, ok := b.object(raw, "raw"); ok {
		if failure := b.failureIn(o); failure != "" {
			b.doubtf("the answer of the server reports a failure: %s", cutText(failure, 80))
		}
	}
	word, refusal, n := "", "", 0
	for choice := range raw.get("choices").items {
		if n++; n == 1 {
			word, _ = choice.get("finishreason").str()
			refusal, _ = choice.get("message").get("refusal").str()
		}
	}
	if n > 1 {
		b.severalChoices(n)
	}
	for item := range raw.get("candidates").items {
		if said, ok := item.get("finishreason").str(); ok {
			word = cmp.Or(word, said)
		}
	}
	stop, _ := raw.get("stopreason").str()
	incomplete, _ := raw.get("incompletedetails").get("reason").str()
	word = cmp.Or(word, stop, incomplete)
	told, _ := response.get("finishreason").str()
	if chat.Stopped(word) && chat.Complete(told) {
		b.doubtf("the answer of the server says that the reply was stopped (%s), and the result does not", cutText(word, 40))
	}
	if said, _ := response.get("output").str(); refusal != "" && !strings.Contains(said, refusal) {
		b.doubtf("the answer of the server holds a refusal, which is not the output: %s", cutText(refusal, 80))
	}
}
