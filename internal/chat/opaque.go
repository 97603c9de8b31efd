package chat

import (
	"bytes"
	"encoding/json"
)

// Opaque is what a provider wants back word for word with a message or a call: signed thoughts, encrypted reasoning.
// It is for that provider alone, and no text for anybody: checks, reports and other models do not see it. It is never
// changed once it is made.
type Opaque struct {
	From string          `json:"from"` // whose it is, in words of the provider
	Data json.RawMessage `json:"data"`
}

// UnmarshalJSON implements json.Unmarshaler. However a file lays the data out, they stay the same bytes.
func (o *Opaque) UnmarshalJSON(data []byte) error {
	type plain Opaque
	if err := json.Unmarshal(data, (*plain)(o)); err != nil {
		return err
	}
	var short bytes.Buffer
	if err := json.Compact(&short, o.Data); err != nil {
		return err
	}
	o.Data = short.Bytes()
	return nil
}

// For is the state as one provider gets it back: nothing where another one made it.
func (o *Opaque) For(provider string) json.RawMessage {
	if o == nil || o.From != provider {
		return nil
	}
	return o.Data
}
