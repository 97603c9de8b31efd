package result

// Merged says that a run was put together from shards.
type Merged struct {
	Of     int    `json:"of"`     // shards that the plan was cut into
	Shards []int  `json:"shards"` // numbers of those that are in the run
	Plan   string `json:"plan"`   // see Shard
	// Missing says what the run lacks, each in one line. A run that lacks something is not green.
	Missing []string `json:"missing,omitempty"`
}

// lacks reports whether it is known that something of the run is missing.
func (m *Merged) lacks() bool { return m != nil && len(m.Missing) > 0 }
