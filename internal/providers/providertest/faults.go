package providertest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// Fault is a fault between the model and arena.
type Fault string

// The faults.
const (
	Status400   Fault = "status:400"
	Status401   Fault = "status:401"
	Status403   Fault = "status:403"
	Status404   Fault = "status:404"
	Status408   Fault = "status:408"
	Status413   Fault = "status:413"
	Status422   Fault = "status:422"
	Status429   Fault = "status:429"
	Status500   Fault = "status:500"
	Status502   Fault = "status:502"
	Status503   Fault = "status:503"
	Status504   Fault = "status:504"
	Status529   Fault = "status:529"   // overloaded
	Hang        Fault = "hang"         // no answer at all
	Silence     Fault = "silence"      // a stream that stops flowing
	Close       Fault = "close"        // the connection is reset before the answer
	Truncate    Fault = "truncate"     // the connection is cut within the answer
	StopEarly   Fault = "stop_early"   // a stream that ends in order, but before the reply does
	BadJSON     Fault = "bad_json"     // half a document or chunk
	NoChoices   Fault = "no_choices"   // a reply without choices
	NullContent Fault = "null_content" // neither text nor tool calls
	HTML        Fault = "html"         // a page with status 200
	Error200    Fault = "error_200"    // an error with status 200
	StreamError Fault = "stream_error" // an error within a stream
	Filtered    Fault = "filtered"     // stopped by a content filter before the first word
	NoBody      Fault = "no_body"      // an empty body
	Nameless    Fault = "nameless"     // a tool call without a name
	BrokeOff    Fault = "broke_off"    // a reply that ends with finish_reason error
	ChoiceError Fault = "choice_error" // an error after a part of the reply
	KeepAlive   Fault = "keep_alive"   // a stream with nothing but signs of life
)

// HTTPFaults are all that a provider over HTTP can meet.
var HTTPFaults = []Fault{
	Status400, Status401, Status403, Status404, Status408, Status413, Status422, Status429, Status500, Status502,
	Status503, Status504, Status529, Hang, Silence, Close, Truncate, StopEarly, BadJSON, NoChoices, NullContent, HTML,
	Error200, StreamError, Filtered, NoBody, Nameless, BrokeOff, ChoiceError, KeepAlive,
}

// outcome is the kind of error that a fault must become. "" where the fault does not exist in that mode.
type outcome struct{ unstreamed, streamed providers.Kind }

var outcomes = map[Fault]outcome{
	Status400:   {providers.Refused, providers.Refused},
	Status401:   {providers.Auth, providers.Auth},
	Status403:   {providers.Auth, providers.Auth},
	Status404:   {providers.Refused, providers.Refused},
	Status408:   {providers.Timeout, providers.Timeout},
	Status413:   {providers.Refused, providers.Refused},
	Status422:   {providers.Refused, providers.Refused},
	Status429:   {providers.RateLimit, providers.RateLimit},
	Status500:   {providers.Transport, providers.Transport},
	Status502:   {providers.Transport, providers.Transport},
	Status503:   {providers.Transport, providers.Transport},
	Status504:   {providers.Timeout, providers.Timeout},
	Status529:   {providers.Transport, providers.Transport},
	Hang:        {providers.Timeout, providers.Timeout},
	Silence:     {"", providers.Timeout},
	Close:       {providers.Transport, providers.Transport},
	Truncate:    {providers.Transport, providers.Transport},
	StopEarly:   {"", providers.BadReply},
	BadJSON:     {providers.BadReply, providers.BadReply},
	NoChoices:   {providers.BadReply, providers.BadReply},
	NullContent: {providers.BadReply, ""},
	HTML:        {providers.BadReply, providers.BadReply},
	Error200:    {providers.BadReply, providers.BadReply},
	StreamError: {"", providers.BadReply},
	Filtered:    {providers.Refused, providers.Refused},
	NoBody:      {providers.BadReply, providers.BadReply},
	Nameless:    {providers.BadReply, providers.BadReply},
	BrokeOff:    {providers.BadReply, providers.BadReply},
	ChoiceError: {providers.RateLimit, providers.RateLimit},
	KeepAlive:   {"", providers.Timeout},
}

func (d Dialect) shows(f Fault) bool { return slices.Contains(d.Faults, f) }

// faults tests that everything that goes wrong becomes a typed error: never a reply, however short.
func (d Dialect) faults(t *testing.T, stream bool) {
	for _, fault := range d.Faults {
		want := outcomes[fault].unstreamed
		if stream {
			want = outcomes[fault].streamed
		}
		if want == "" {
			continue
		}
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			script := Script{Text: "It shipped on Monday.", Fault: fault}
			if fault == Filtered {
				script.Text = ""
			}
			p := d.Open(t, script)
			reply, err := p.Complete(t.Context(), Request(stream), func(chat.Delta) error { return nil })
			var failed *providers.Error
			if !errors.As(err, &failed) {
				t.Fatalf("got reply %q and error %v, want a *providers.Error", reply.Content, err)
			}
			if failed.Kind != want || failed.Provider != ID || failed.Msg == "" {
				t.Errorf("got %s error of %q: %q, want kind %s of %q", failed.Kind, failed.Provider, failed.Msg, want, ID)
			}
			if text := err.Error(); strings.Contains(text, Secret) || strings.ContainsAny(text, "\n\r\x1b") {
				t.Errorf("the error shows the key, or is not plain text: %q", text)
			}
		})
	}
}

// SingleReplyFaults are the faults of an API without choices.
func SingleReplyFaults() []Fault {
	return slices.DeleteFunc(slices.Clone(HTTPFaults), func(f Fault) bool { return f == ChoiceError })
}
