package result

import (
	"time"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Memory is something that an agent remembers.
type Memory struct {
	ID         string           `json:"id"`
	Type       string           `json:"type"`
	Content    string           `json:"content"`
	Confidence float64          `json:"confidence"` // 0..1
	Metadata   jsonvalue.Object `json:"metadata,omitempty"`
	Created    time.Time        `json:"created_at"` // a simulated time; see memory.New
}
