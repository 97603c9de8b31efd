// Package pause waits until a time is over or a context ends.
package pause

import (
	"context"
	"time"
)

// For waits until d is over, or until ctx has ended: then it returns the cause. It does not wait when d is 0 or less,
// nor when ctx has ended already.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
