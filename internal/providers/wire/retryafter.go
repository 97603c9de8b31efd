package wire

import (
	"errors"
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
		return min(max(at.Sub(now()), 0), longestSpan)
	}
	return 0
}

// number parses a number that is not negative. It may be of any size.
func number(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(text, "0123456789.eE+") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// longestSpan limits the wait that a server can ask for, and prevents overflow.
const longestSpan = 24 * time.Hour

// span is n units, at most longestSpan.
func span(n float64, unit time.Duration) time.Duration {
	if n >= float64(longestSpan/unit) {
		return longestSpan
	}
	return time.Duration(n * float64(unit))
}
