package openai

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter is how long the server asks to wait; 0 when it does not say. It reads retry-after-ms and Retry-After, the
// latter in seconds or as a date.
func retryAfter(h http.Header, now func() time.Time) time.Duration {
	if ms, ok := number(h.Get("Retry-After-Ms")); ok {
		return span(ms, time.Millisecond)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := number(value); ok {
		return span(s, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now()), 0)
	}
	return 0
}

func number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return n, err == nil && n >= 0 && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// span is n units, at most a day: a server's number must not overflow.
func span(n float64, unit time.Duration) time.Duration {
	const most = 24 * time.Hour
	if n > float64(most/unit) {
		return most
	}
	return time.Duration(n * float64(unit))
}
