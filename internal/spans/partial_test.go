package spans

import (
	"fmt"
	"strings"
	"testing"
)

// TestPartial: tokens and costs of which only a part is told, or that cannot be, are not those of a call.
func TestPartial(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]string{
		`"gen_ai.usage.input_tokens":10,"gen_ai.usage.output_tokens":5`:                                         "10+5",
		`"gen_ai.usage.input_tokens":10`:                                                                        "10+0 partial",
		`"gen_ai.usage.output_tokens":5`:                                                                        "0+5 partial",
		`"llm.token_count.total":15`:                                                                            "15+0 partial",
		`"llm.token_count.prompt":"many","llm.token_count.completion":1`:                                        "0+1 partial",
		`"llm.token_count.prompt":-5,"llm.token_count.completion":1`:                                            "0+1 partial",
		`"llm.token_count.prompt":1,"llm.token_count.completion":1,"llm.token_count.total":90`:                  "1+1 partial",
		`"llm.token_count.prompt":1,"llm.token_count.completion":1,"llm.token_count.total":2`:                   "1+1",
		`"gen_ai.usage.input_tokens":1,"gen_ai.usage.output_tokens":1,"gen_ai.usage.cache_read_input_tokens":9`: "10+1",
		`"llm.cost.prompt":1`:                         "none miscosted",
		`"llm.cost.prompt":1,"llm.cost.completion":2`: "none $3",
		`"llm.cost.total":"$5"`:                       "none miscosted",
		`"llm.cost.total":-1`:                         "none miscosted",
		`"llm.cost.total":0.5`:                        "none $0.5",
		`"gen_ai.request.model":"m"`:                  "none",
	} {
		var got []string
		line := `{"name":"chat","span_id":"1","attributes":{"gen_ai.operation.name":"chat",` + attributes + `}}`
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
