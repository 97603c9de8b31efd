package wire

import "encoding/json"

// ReplyID is the server's id of a reply. An id that is not a text is dropped, so that it does not make the reply
// unreadable.
type ReplyID string

// UnmarshalJSON implements json.Unmarshaler.
func (id *ReplyID) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*id = ReplyID(text)
	}
	return nil
}
