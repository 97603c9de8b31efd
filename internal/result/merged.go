package result

// Merged says that a run was merged from shards.
type Merged struct {
	Of     int    `json:"of"`     // number of shards of the plan
	Shards []int  `json:"shards"` // numbers of the merged shards
	Plan   string `json:"plan"`   // see Shard
	// Missing says what is missing in the run, in one line each. An incomplete run is not green.
	Missing []string `json:"missing,omitempty"`
}

// incomplete reports whether something is missing in the run.
func (m *Merged) incomplete() bool { return m != nil && len(m.Missing) > 0 }
