package wire

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, " 1.5 ": 1500 * time.Millisecond, "3600": time.Hour, "86399": day - time.Second,
		"86400": day, "86401": day, "1e300": day, "1e999999": day, strings.Repeat("9", 500): day, "18446744073709551616": day,
		"-1": 0, "inf": 0, "Infinity": 0, "NaN": 0, "0x10": 0, "soon": 0, "1_000": 0,
		now.Add(time.Hour).Format(http.TimeFormat):     time.Hour,
		now.Add(-time.Hour).Format(http.TimeFormat):    0,
		"Fri, 31 Dec 9999 23:59:59 GMT":                day,
		"Mon, 01 Jan 0001 00:00:00 GMT":                0,
		now.Add(30 * day).Format(time.RFC850):          day,
		now.Add(time.Minute).Format(time.ANSIC):        time.Minute,
		now.Add(time.Minute).Format(time.RFC3339):      0, // not an HTTP date
		now.Add(time.Hour).Format(http.TimeFormat)[1:]: 0,
	} {
		h := http.Header{"Retry-After": {text}}
		if got := retryAfter(h, func() time.Time { return now }); got != want {
			t.Errorf("Retry-After: %.40s is %s, want %s", text, got, want)
		}
		h = http.Header{"Retry-After-Ms": {text}, "Retry-After": {"1"}}
		if got := retryAfter(h, func() time.Time { return now }); got < 0 || got > day {
			t.Errorf("Retry-After-Ms: %.40s is %s", text, got)
		}
	}
}

// TestReportOfGoogle: an error report may be a list of one, with a named status and the wait in its details.
func TestReportOfGoogle(t *testing.T) {
	t.Parallel()
	r := readReport([]byte(`[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"slow down","details":[` +
		`{"@type":"type.googleapis.com/google.rpc.Help"},{"retryDelay":"2.5s"}]}}]`))
	want := Report{Message: "slow down", Type: "RESOURCE_EXHAUSTED", Code: "429", RetryAfter: 2500 * time.Millisecond}
	if r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
	for _, delay := range []string{`"-1s"`, `"soon"`, `7`, `null`} {
		if r := readReport([]byte(`{"error":{"message":"x","details":[{"retryDelay":` + delay + `}]}}`)); r.RetryAfter != 0 {
			t.Errorf("%s is %s", delay, r.RetryAfter)
		}
	}
}
