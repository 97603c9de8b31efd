package cli

import (
	"testing"
	"time"
)

// The first interrupt at the prompt ends nothing, nor does its duplicate. The next one ends the chat.
func TestSecondWishEndsChat(t *testing.T) {
	t.Parallel()
	settled := make(chan time.Time, 1)
	app := &App{after: func(time.Duration) <-chan time.Time { return settled }}
	var e endRequest
	for _, what := range []string{"an interrupt", "its echo"} {
		if e.confirmed(app) {
			t.Errorf("%s ends the chat", what)
		}
	}
	settled <- time.Time{}
	if !e.confirmed(app) {
		t.Error("two wishes do not end the chat")
	}
}
