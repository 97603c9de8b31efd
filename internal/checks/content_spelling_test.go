package checks

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// otherSpellings are texts that look like the forbidden text, or vice versa.
var otherSpellings = map[string][]string{
	"café bomb": {
		"café bomb", "cafe\u0301 bomb", "café bo\u200dmb", "café b\u00adomb", "\ufeffcafé bo\u200b\u2060mb",
		"café bоmb", "café bοmb", "ｃafé ｂomb", "café 𝐛𝐨𝐦𝐛", "café\u00a0bomb", "CAFÉ BОMB",
		"**café** bomb", "*café* _bomb_", "ca**f**é `bomb`", "~~café~~ bo`m`b", "**ｃafé** __bоmb__", "*cafe\u0301 bomb*",
	},
	"cafe\u0301 bomb": {"café bomb"},
	"bomb": {
		"bo\u200dmb", "bоmb", "bo**mb**", "_bomb_", "`bomb`", "bo<b>m</b>b", "bo<!-- -->mb", "[bo](https://a)mb", "b[om][1]b",
	},
	"money back":   {"money<br>back", "<b>money</b> [**back**](x)", "[money](x) back", "money <a href='x'>back</a>"},
	"sort_key (x)": {"sort\\_key \\(x\\)", "`sort_key` **(x)**", "_sort\\_key_ (x)"},
}

// TestBansInOtherSpellings: a forbidden text is found in every spelling that looks the same, also in a stream.
func TestBansInOtherSpellings(t *testing.T) {
	t.Parallel()
	for ban, said := range otherSpellings {
		for _, c := range []struct{ check, params string }{
			{"content_excludes", `{"patterns": [%s]}`}, {"banned_words", `{"words": [%s]}`},
			{"contains", `{"patterns": [%s], "max_score": 0}`}, {"contains_any", `{"patterns": [%s], "max_score": 0}`},
			{"output_contains", `{"value": %s, "max_score": 0}`}, {"starts_with", `{"value": [%s], "max_score": 0}`},
			{"ends_with", `{"value": [%s], "max_score": 0}`}, {"regex", `{"pattern": %s, "expect_match": false}`},
			{"equals", `{"value": %s, "case_sensitive": false, "max_score": 0}`}, {"output_matches", `{"pattern": %s, "max_score": 0}`},
			{"not", `{"check": {"type": "contains", "params": {"patterns": [%s]}}}`},
			{"not", `{"check": {"type": "regex", "params": {"pattern": %s}}}`},
			{"any_of", `{"checks": [{"type": "contains", "params": {"patterns": [%s], "max_score": 0}}]}`},
		} {
			quoted := jsonvalue.Compact(ban)
			if strings.Contains(c.check+c.params, "regex") || c.check == "output_matches" {
				quoted = jsonvalue.Compact("(?i)" + regexp.QuoteMeta(ban))
			}
			params := fmt.Sprintf(c.params, quoted)
			for _, text := range said {
				if v, problems := Try(t.Context(), c.check, params, text, ScopeTurn); v == nil || v.Status != result.Failed {
					t.Errorf("%s %s holds for %q: %+v %v", c.check, params, text, v, problems)
				}
			}
			if v, _ := Try(t.Context(), c.check, params, "résumé of a сор", ScopeTurn); v == nil || v.Status != result.Passed {
				t.Errorf("%s %s: %+v", c.check, params, v)
			}
		}
		for _, text := range said {
			compiled, _ := compileJSON(&Compiler{}, "content_excludes", `{"patterns": [`+jsonvalue.Compact(ban)+`]}`, ScopeTurn, nil)
			stream := compiled.Follow()
			for i := range len(text) {
				stream.Write(text[i : i+1])
			}
			if stream.Write(" and"); !stream.Failed() {
				t.Errorf("%q is not found in %q while it comes", ban, text)
			}
		}
	}
}

// TestBansFoldFully: letters that another case writes as several are equal in a ban, also in a stream.
func TestBansFoldFully(t *testing.T) {
	t.Parallel()
	for ban, text := range map[string]string{
		"Straße": "die STRASSE", "STRASSE": "die Straße", "strasse": "die STRAẞE", "λόγος": "ΛΌΓΟΣ",
	} {
		params := `{"patterns": [` + jsonvalue.Compact(ban) + `]}`
		if v, problems := Try(t.Context(), "content_excludes", params, text, ScopeTurn); v == nil || v.Status != result.Failed {
			t.Errorf("%q in %q: %+v %v", ban, text, v, problems)
		}
		compiled, _ := compileJSON(&Compiler{}, "content_excludes", params, ScopeTurn, nil)
		stream := compiled.Follow()
		for i := range len(text) {
			stream.Write(text[i : i+1])
		}
		if stream.Write(" and"); !stream.Failed() {
			t.Errorf("%q is not found in %q while it comes", ban, text)
		}
	}
	if v, _ := Try(t.Context(), "content_excludes", `{"patterns": ["Straße"], "case_sensitive": true}`, "STRASSE",
		ScopeTurn); v.Status != result.Passed {
		t.Errorf("case is told apart: %+v", v)
	}
}

// TestWantedTextsAsTheyAre: a required text may have decomposed accents; otherwise it must match exactly.
func TestWantedTextsAsTheyAre(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]result.Status{
		"café": result.Passed, "cafe\u0301": result.Passed, "ca\u00adfé": result.Failed, "cаfé": result.Failed, "cafe": result.Failed,
	} {
		for _, pattern := range []string{"café", "cafe\u0301"} {
			for check, params := range map[string]string{
				"contains": `{"patterns": [%q]}`, "equals": `{"value": %q}`, "starts_with": `{"value": %q}`,
				"not": `{"check": {"type": "content_excludes", "params": {"patterns": [%q]}}}`,
			} {
				if v, _ := Try(t.Context(), check, fmt.Sprintf(params, pattern), text, ScopeTurn); v == nil || v.Status != want {
					t.Errorf("%s %q of %q: %+v, want %s", check, pattern, text, v, want)
				}
			}
		}
	}
}

// TestBansOfWhatOnlyLooksAlike: an English ban does not fire at words of other languages, and the ban of a sign does
// not fire at every text.
func TestBansOfWhatOnlyLooksAlike(t *testing.T) {
	t.Parallel()
	for ban, text := range map[string]string{
		"cop": "сор", "resume": "résumé", "\u200b": "a b", "Note:\n": "Note: x", "pop": "рор", " \u200b ": "one two",
		"List x":  "a List<String> x",
		"❤\ufe0f": "a ♥ b", "**bomb**": "a bomb", "23": "2*3 is 6", "a b": "a * b", "sortkey": "sort_key", "~5": "5", "*": "one",
	} {
		params := `{"patterns": [` + jsonvalue.Compact(ban) + `]}`
		if v, problems := Try(t.Context(), "content_excludes", params, text, ScopeTurn); v == nil || v.Status != result.Passed {
			t.Errorf("%q in %q: %+v %v", ban, text, v, problems)
		}
	}
	params := `{"patterns": ["money back"]}`
	if v, _ := Try(t.Context(), "content_excludes", params, "your money\n  back", ScopeTurn); v.Status != result.Failed {
		t.Errorf("a line break hides a ban: %+v", v)
	}
}
