package cassette

import (
	"encoding/json"
	"strings"
	"testing"
)

// cardTexts are texts with the value 52228888 in the field card: as JSON, as broken JSON, and quoted within other
// texts.
var cardTexts = []string{
	`{"card":"52228888"}`, `{"card":52228888}`, `{"card":["52228888"]}`, `{"card":{"number":"52228888"}}`,
	`{"CARD" : "52228888"}`, `{"\u0063ard":"52228888"}`, `{"card":"52228888","card":"bbbbbbbb"}`,
	`{"card":"bbbbbbbb","Card":"52228888"}`, `{"card":{"52228888":true}}`, `{"card":{"52228888":"bbbbbbbb"}}`,
	`{"card":{"number":"52228888","number":"bbbbbbbb"}}`, `{"card":"{\"number\":\"52228888\"}"}`,
	`{"card":"my number\n52228888\nis it"}`, `{"x":[{"card":"52228888"}]}`, `{"x":"{\"card\":\"52228888\"}"}`,
	`{"x":"see {\"card\":\"52228888\"} there"}`, `{"x":"{\u0022card\u0022:\u002252228888\u0022}"}`,
	`{"x":"{\"y\":\"{\\\"card\\\":\\\"52228888\\\"}\"}"}`, `"{\"card\":\"52228888\"}"`,
	`{"card":"52228888"`, `{"card":"52228888`, `{"card": 52228888`, `{"card":["a","52228888`, `{"card":{"a":{"b":"52228888`,
	`{"x":"{\"card\":\"52228888`, `{"x":"{\"card\":\"52228888\""`, `{"x":"{\"card\":\"52228888"}`, `{"x":"{\u0022card\u0022:\u002252228888`,
	`{"x":"{\"y\":\"{\\\"card\\\":\\\"52228888`, `{"x":"{\n \"card\" :\n \"52228888\"`, `{"card":"a","x":"b","card":"52228888`,
	`{"card":"52228888"} trailing`, `{"card":"52228888"}{"card":"bbbbbbbb"}`, "{\"card\":\"bbbbbbbb\"}\n{\"card\":\"52228888\"}\n",
	`Here you are: {"card":"52228888"}. Fine?`, "```json\n{\"card\": \"52228888\"}\n```", `it is 12" and {"card":"52228888"}`,
	`{'card': '52228888'}`, `{'a': "it's", 'card': '52228888'`, `{"card"=>"52228888"}`, `{card: "52228888"}`, `{card: 52228888, x: 1`,
	`{"x": NaN, "card": "52228888"}`, `{"card": "52228888",}`, `{"card": 52228888 // it`, `{"card": "4" "52228888"}`,
	`{"card": "4"52228888"}`, `{"card": "4" + "52228888"}`, `{"card" "52228888"}`, `{"card":[52228888}`,
	`{"card":{"a":1],"b":"52228888"}`, `{"card":}52228888`[:8] + ` 52228888`, "{\"card\":\"a\n52228888\"}", `[{"card":"52228888"`,
	`{\"card\":\"52228888\"}`, `\"card\": \"52228888`, `{"card":'52228888'}`, "\ufeff{\"card\":\"52228888\"}",
	`{"x":` + strings.Repeat("[", 6000) + strings.Repeat("]", 6000) + `,"card":"52228888"}`,
	`{"x":` + strings.Repeat("[", 12000) + strings.Repeat("]", 12000) + `,"card":"52228888"}`,
}

// cardArgs are texts that are redacted only as arguments, which are meant to be JSON whatever they look like.
var cardArgs = []string{`card=52228888`, `card: 52228888`, `"card": "52228888"}`}

// TestRedactedInWhateverState: the value of a field to be redacted is removed from texts that are not valid JSON, and
// is learned from them, so that it is removed wherever it is repeated.
func TestRedactedInWhateverState(t *testing.T) {
	t.Parallel()
	for i, text := range append(append([]string{}, cardTexts...), cardArgs...) {
		r := newRedactor(nil, []string{"card"})
		l := &learner{redactor: r}
		clean := r.badArgs(text)
		if i < len(cardTexts) {
			clean = string(r.text(text))
			l.addText(text)
		} else {
			l.addJSONText(text)
		}
		if strings.Contains(clean, "52228888") {
			t.Errorf("%.80s is written as %.200s", text, clean)
		}
		if json.Valid([]byte(text)) != json.Valid([]byte(clean)) && json.Valid([]byte(text)) {
			t.Errorf("%.80s is no JSON any more: %.200s", text, clean)
		}
		if again := r.badArgs(clean); i >= len(cardTexts) && again != clean {
			t.Errorf("%.80s is written as %.200s, and again as %.200s", text, clean, again)
		}
		if again := string(r.text(clean)); i < len(cardTexts) && again != clean {
			t.Errorf("%.80s is written as %.200s, and again as %.200s", text, clean, again)
		}
		rec := &Recorder{redactFields: []string{"card"}, folder: &Folder{}}
		rec.encoder.redactor = r
		rec.addLearned(l)
		if redactedText := Redact(rec, "It was 52228888, or (52228888)."); strings.Contains(redactedText, "5222") {
			t.Errorf("%.80s is said again: %s; learned %.200q, %q", text, redactedText, rec.learned, rec.learnedPrefixes)
		}
	}
}

// TestRedactedWhereverItIsCut cuts documents at each byte. No part of the value may be left beside the field. If enough
// of the value is there to recognise it, it is learned.
func TestRedactedWhereverItIsCut(t *testing.T) {
	t.Parallel()
	const value = "qwertzuiop"
	for _, whole := range []string{
		`{"id":1,"card":"qwertzuiop","x":"after"}`, `{"id":1,"card":{"number":["qwertzuiop"]},"x":"after"}`,
		`{"x":"{\"card\":\"qwertzuiop\",\"y\":1}","z":2}`, `[{"x":"{\"y\":\"{\\\"card\\\": \\\"qwertzuiop\\\"}\"}"}]`,
		`Look: {"card": "qwertzuiop"} is it`, `{'card': 'qwertzuiop', 'x': 1}`, `{card: qwertzuiop, x: 1}`,
	} {
		for cut := range len(whole) {
			text := whole[:cut]
			r := newRedactor(nil, []string{"card"})
			if clean := string(r.text(text)); strings.Contains(clean, value[:1]+"w") {
				t.Errorf("%s is written as %s", text, clean)
			}
			at := strings.Index(whole, value)
			if cut < at+minSecret {
				continue
			}
			l := &learner{redactor: r}
			l.addText(text)
			rec := &Recorder{redactFields: []string{"card"}, folder: &Folder{}}
			rec.encoder.redactor = r
			rec.addLearned(l)
			if redactedText := Redact(rec, "It is "+value+"."); redactedText != "It is "+redacted+"." && redactedText != "It is "+redacted {
				t.Errorf("%s is said again: %s; learned %q, %q", text, redactedText, rec.learned, rec.learnedPrefixes)
			}
		}
	}
}

// TestNothingElseIsRedacted: text outside the fields to be redacted is unchanged.
func TestNothingElseIsRedacted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"cards":"52228888","x":["card",":","y"]}`, `The card: 52228888`, `"card" and 52228888`, `a card is "good"`,
		`{"x":"the card: 52228888"}`, `[2024-01-01] INFO the card was declined`, `[card](http://x/y)`, `{"discard":"52228888"`,
		`{"x":"no \"card`, `{"card`, `{"card"`, `{"card":`, "",
	} {
		r := newRedactor(nil, []string{"card"})
		if clean := string(r.text(text)); clean != text {
			t.Errorf("%s is written as %s", text, clean)
		}
		l := &learner{redactor: r}
		l.addText(text)
		if len(l.values)+len(l.prefixes) > 0 {
			t.Errorf("%s: learned %q, %q", text, l.values, l.prefixes)
		}
	}
	r := newRedactor(nil, []string{"card"})
	l := &learner{redactor: r}
	l.addText(`{"card":{"number":"a","holderName":"b","line_2":true}}`)
	rec := &Recorder{redactFields: []string{"card"}, folder: &Folder{}}
	rec.encoder.redactor = r
	rec.addLearned(l)
	if redactedText := Redact(rec, "number holderName line_2"); strings.Contains(redactedText, redacted) {
		t.Errorf("names of fields were taken out: %s", redactedText)
	}
}

// FuzzRedacted: text that is not JSON is redacted in linear time, a second pass changes nothing, and JSON stays JSON.
func FuzzRedacted(f *testing.F) {
	for _, text := range cardTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := newRedactor(nil, []string{"card"})
		clean := string(r.text(text))
		if again := string(r.text(clean)); again != clean && json.Valid([]byte(text)) {
			t.Errorf("%q is written as %q, and again as %q", text, clean, again)
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(clean)) {
			t.Errorf("%q is no JSON any more: %q", text, clean)
		}
		if !json.Valid([]byte(text)) {
			r.badArgs(text)
		}
		l := &learner{redactor: r}
		l.addJSONText(text)
		l.addValue(map[string]any{"card": text})
	})
}
