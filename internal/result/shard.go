package result

import "fmt"

// Shard says which part of a plan a run is.
type Shard struct {
	Number int `json:"number"` // from 1
	Of     int `json:"of"`
	// Plan is a hash of the whole plan: what its trials ask, and their order.
	Plan    string `json:"plan"`
	Planned int    `json:"planned"`         // trials of the whole plan
	Slots   int    `json:"slots,omitempty"` // plan indexes, if more than Planned; see JournalHeader
	By      string `json:"by,omitempty"`    // hash of the durations that balance the parts; "": none
}

// String is the shard in the format of the command line: 2/5.
func (s *Shard) String() string { return fmt.Sprintf("%d/%d", s.Number, s.Of) }

// ShardEnd is what a shard contributes to the merged run at its end.
type ShardEnd struct {
	// Files are warnings about files and plan, equal in all shards; Own are warnings about this shard.
	Files []string `json:"files,omitempty"`
	Own   []string `json:"own,omitempty"`
	// Claims can be decided only for the whole run.
	Claims []Claim `json:"claims,omitempty"`
}
