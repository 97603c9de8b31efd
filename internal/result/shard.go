package result

import "fmt"

// Shard says which part of a plan a run is, where it is not the whole.
type Shard struct {
	Number int `json:"number"` // from 1
	Of     int `json:"of"`
	// Plan is a sum of the whole plan: what is asked of each of its trials, and in which order.
	Plan    string `json:"plan"`
	Planned int    `json:"planned"`         // trials of the whole plan
	Slots   int    `json:"slots,omitempty"` // its places, where there are more: see JournalHeader
	By      string `json:"by,omitempty"`    // sum of the durations by which the parts are balanced; "": there were none
}

// String is the shard as the command line has it: 2/5.
func (s *Shard) String() string { return fmt.Sprintf("%d/%d", s.Number, s.Of) }

// ShardEnd is what a shard contributes to the merged run at its end.
type ShardEnd struct {
	// Files are warnings about the files and the plan, which all shards have; Own those about this shard alone.
	Files []string `json:"files,omitempty"`
	Own   []string `json:"own,omitempty"`
	// Claims are what only the whole run can say.
	Claims []Claim `json:"claims,omitempty"`
}
