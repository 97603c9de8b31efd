package recording

import (
	"iter"
	"strings"
)

// cassetteVersion is the version of the cassettes that are read.
const cassetteVersion = 1

func isCassette(h *head) bool { return h.kind == '{' && h.has("arenacassette") }

// readCassette makes the conversation of a trial from its exchanges with the agent's model and tools. Exchanges with
// judges, evaluators and embedders are not part of it. People edit cassettes, so anything that arena would not write is
// refused.
func readCassette(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		t := &cassetteReader{builder: b}
		if t.head(p.value) {
			t.addLastReply()
		}
	}
}

// head reads a cassette up to its last exchange.
func (t *cassetteReader) head(v value) bool {
	if v.kind() == '{' && !t.version(v.get("arenacassette")) {
		return false
	}
	o, ok := t.strictObject(v, "a cassette", "arena_cassette", "trial", "simulated", "checked_by", "redacted", "tools",
		"exchanges")
	if !ok {
		return false
	}
	trial := o.get("trial")
	if trial.missing() {
		t.errorf(v, "missing-field", "the cassette does not name its trial").Hint = `"trial" is missing`
		return false
	}
	s := t.session
	s.ID = t.textOrLines(trial, "trial")
	s.Scenario, s.Provider, s.Region = partsOfTrialID(s.ID)
	if t.truth(o.get("simulated"), "simulated") {
		t.notef("a mock or a replay answered in place of a model when this was recorded")
	}
	if names := t.texts(o.get("redacted"), "redacted"); len(names) > 0 {
		t.notef("the values of some fields were left out when this was recorded: %s", strings.Join(names, ", "))
	}
	list := o.get("exchanges")
	if list.kind() != '[' {
		t.errorf(list.or(v), "wrong-type", "exchanges must be a list, found %s", describe(list))
		return false
	}
	for item := range list.items {
		t.exchange(item)
	}
	if !t.hasModelCall {
		t.errorf(list, "empty-recording", "the cassette holds no call of the agent's model, so there is no conversation").
			Hint = "was it recorded by arena eval? Then give the recording that was evaluated"
	}
	return true
}

func (t *cassetteReader) version(v value) bool {
	if n, ok := v.number(); ok && n == cassetteVersion {
		return true
	}
	t.errorf(v, "unknown-version", "this arena reads version %d of cassettes, found %s", cassetteVersion, describe(v)).
		Hint = "record the trial again, or use the arena that recorded it"
	return false
}

// partsOfTrialID splits scenario/provider/region#2[variant]. It returns three empty parts for an ambiguous id.
func partsOfTrialID(id string) (scenario, provider, region string) {
	id, _, _ = strings.Cut(id, "[")
	parts := strings.Split(id, "/")
	if len(parts) != 3 {
		return "", "", ""
	}
	region, _, _ = strings.Cut(parts[2], "#")
	return parts[0], parts[1], region
}
