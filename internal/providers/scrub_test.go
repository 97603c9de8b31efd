package providers

import "testing"

func TestScrub(t *testing.T) {
	t.Parallel()
	s := NewScrubber("top/secret", "abc", "")
	for text, want := range map[string]string{
		"nothing to hide":                                      "nothing to hide",
		"key top/secret here":                                  "key [redacted] here",
		"escaped top%2Fsecret":                                 "escaped [redacted]",
		"abc is too short to be a key":                         "abc is too short to be a key",
		"Authorization: Bearer eyJhbGciOi.J9-_x":               "Authorization: Bearer [redacted]",
		"authorization: basic dXNlcjpwYXNz":                    "authorization: basic [redacted]",
		"a bearer of news":                                     "a bearer of news",
		"got sk-proj-aBcDeF123456 instead":                     "got [redacted] instead",
		"google AIzaSyA1234567890abcdef":                       "google [redacted]",
		"at https://user:pass@host/path":                       "at https://[redacted]@host/path",
		"GET /v1?api_key=12345&x=1":                            "GET /v1?api_key=[redacted]&x=1",
		"line\none\ttab \x1b[31mred\x1b[0m \x00 end":           "line one tab ␛[31mred␛[0m ␀ end",
		"bad \xff utf-8":                                       "bad \uFFFD utf-8",
		"right\u202Eto left":                                   "right\uFFFDto left",
		"X \x1b]0;t\x07":                                       "X ␛]0;t␇",
		"\uFEFFmarked":                                         "marked",
		"not top/secret\x1b[31m please":                        "not [redacted]␛[31m please",
		"coloured top\x1b[1m/secret here":                      "coloured [redacted] here",
		"top\u200B/secret":                                     "[redacted]",
		"\x1b[31msk-proj-aBcDeF123456\x1b[0m":                  "[redacted]",
		"x\x1b[2@sk-proj-aBcDeF123456":                         "x␛[2@[redacted]",
		"0123456789012345678901234567890123456789 and further": "0123456789012345678901234567890123456789…",
	} {
		if got := s.Excerpt(text, 40); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
