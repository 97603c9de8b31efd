package wire

import "encoding/json"

// ReplyID is the id that a server gives to a reply. One that is no text is left out: nothing depends on it, so it must
// not make a reply unreadable.
type ReplyID string

// UnmarshalJSON implements json.Unmarshaler.
func (id *ReplyID) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*id = ReplyID(text)
	}
	return nil
}
