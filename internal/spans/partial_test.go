package spans

import (
	"fmt"
	"strings"
	"testing"
)

// TestPartial: incomplete or impossible tokens and costs are not those of a call.
func TestPartial(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]string{
		`"#.input_tokens":10,"#.output_tokens":5`:                              "10+5",
		`"#.input_tokens":10`:                                                  "10+0 partial",
		`"#.output_tokens":5`:                                                  "0+5 partial",
		`"@.total":15`:                                                         "15+0 partial",
		`"@.prompt":"many","@.completion":1`:                                   "0+1 partial",
		`"@.prompt":-5,"@.completion":1`:                                       "0+1 partial",
		`"@.prompt":1,"@.completion":1,"@.total":90`:                           "1+1 partial",
		`"@.prompt":1,"@.completion":1,"@.total":2`:                            "1+1",
		`"#.input_tokens":1,"#.output_tokens":1,"#.cache_read_input_tokens":9`: "10+1",
		`"llm.cost.prompt":1`:                                                  "none miscosted",
		`"llm.cost.prompt":1,"llm.cost.completion":2`:                          "none $3",
		`"llm.cost.total":"$5"`:                                                "none miscosted",
		`"llm.cost.total":-1`:                                                  "none miscosted",
		`"llm.cost.total":0.5`:                                                 "none $0.5",
		`"#.input_tokens":5,"#.prompt_tokens":5000,"#.output_tokens":5`:        "5+5 partial",
		`"#.input_tokens":5,"#.prompt_tokens":5,"#.output_tokens":5`:           "5+5",
		`"llm.cost.total":0.001,"llm.cost.prompt":5,"llm.cost.completion":5`:   "none miscosted",
		`"llm.cost.total":10,"llm.cost.prompt":5,"llm.cost.completion":5`:      "none $10",
		`"arena.cost_usd":1,"llm.cost.total":5`:                                "none miscosted",
		`"gen_ai.request.model":"m"`:                                           "none",
	} {
		var got []string
		line := `{"name":"chat","span_id":"1","attributes":{"gen_ai.operation.name":"chat",` +
			strings.NewReplacer("@", "llm.token_count", "#", "gen_ai.usage").Replace(attributes) + `}}`
		_ = Lines(strings.NewReader(line), func(s Span) {
			text := "none"
			if s.Usage != nil {
				text = fmt.Sprintf("%d+%d", s.Usage.InputTokens, s.Usage.OutputTokens)
			}
			if s.Partial {
				text += " partial"
			}
			if s.CostUSD != nil {
				text += fmt.Sprintf(" $%g", *s.CostUSD)
			}
			if s.Miscosted {
				text += " miscosted"
			}
			got = append(got, text)
		})
		if strings.Join(got, "") != want {
			t.Errorf("%s: %q, want %q", attributes, got, want)
		}
	}
}
