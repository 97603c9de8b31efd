package show

import (
	"math"
	"strconv"
	"strings"
)

// Unknown is shown for an unknown value, such as a price.
const Unknown = "unknown"

// Count writes n with a comma between thousands: 41,208.
func Count(n int) string {
	return thousands(strconv.Itoa(n))
}

// Short writes n in at most three digits and a unit: 947, 1.2k, 41k, 3.5M.
func Short(n int) string {
	switch f := float64(n); {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 999_500:
		return scaled(f/1e3, "k")
	case n < 999_500_000:
		return scaled(f/1e6, "M")
	default:
		return scaled(f/1e9, "G")
	}
}

// scaled keeps one decimal below ten and none above.
func scaled(f float64, unit string) string {
	if f < 9.95 {
		return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") + unit
	}
	return strconv.FormatFloat(f, 'f', 0, 64) + unit
}

// Plural writes a count with its noun, as package plural does, and with commas: 1 turn, 1,234 turns. The plural of the
// noun takes an s.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// Money writes US dollars, with enough digits that a price above zero is not written as zero. nil is an unknown price.
func Money(usd *float64) string {
	if usd == nil || math.IsNaN(*usd) || math.IsInf(*usd, 0) {
		return Unknown
	}
	return money(*usd)
}

// Spent is Money with its simulated part: "$0.0002 simulated", "$0.3100, $0.0200 of it simulated".
func Spent(usd *float64, simulated float64) string {
	switch part := SimulatedPart(usd, simulated); {
	case part == "":
		return Money(usd)
	case strings.HasPrefix(part, "$"):
		return Money(usd) + ", " + part
	}
	return Money(usd) + Simulated
}

// SimulatedPart is the simulated part of an amount in US dollars: "simulated" for all of it, "$0.0200 of it simulated"
// for a part, and "" for none.
func SimulatedPart(usd *float64, simulated float64) string {
	switch {
	case usd == nil || !(simulated > 0):
		return ""
	case simulated >= *usd*(1-rounding):
		return strings.TrimSpace(Simulated)
	}
	return money(simulated) + " of it" + Simulated
}

// Simulated is the suffix of a simulated amount.
const Simulated = " simulated"

// rounding is the relative error that sums of the same prices may have.
const rounding = 1e-9

func money(usd float64) string {
	switch {
	case usd < 0:
		return "-" + money(-usd)
	case usd == 0:
		return "$0"
	case usd >= 0.995:
		return "$" + thousands(strconv.FormatFloat(usd, 'f', 2, 64))
	case usd >= 0.0001:
		return "$" + strconv.FormatFloat(usd, 'f', 4, 64)
	}
	decimals := 1 - int(math.Floor(math.Log10(usd))) // two digits that are not zero
	return "$" + strings.TrimRight(strconv.FormatFloat(usd, 'f', min(decimals, 15), 64), "0")
}

// Seconds writes a duration given in milliseconds: 0.9s, 14.2s, 1m 05s, 2h 03m.
func Seconds(ms float64) string {
	tenths := math.Round(ms / 100)
	if tenths <= 600 {
		return strconv.FormatFloat(tenths/10, 'f', 1, 64) + "s"
	}
	s := int(math.Round(ms / 1000))
	if s < 3600 {
		return strconv.Itoa(s/60) + "m " + twoDigits(s%60) + "s"
	}
	return strconv.Itoa(s/3600) + "h " + twoDigits(s/60%60) + "m"
}

// Percent writes a share from 0 to 1. Only a share of exactly 1 is written as 100%, and only 0 as 0%.
func Percent(share float64) string {
	switch {
	case share >= 1:
		return "100%"
	case share <= 0:
		return "0%"
	}
	percent := math.Min(math.Max(math.Round(share*1000)/10, 0.1), 99.9)
	return strconv.FormatFloat(percent, 'f', -1, 64) + "%"
}

// Score writes a score or threshold from 0 to 1 with two decimals, or with more if it would be rounded to 0 or 1.
func Score(score float64) string {
	s := strconv.FormatFloat(score, 'f', 2, 64)
	if (s == "1.00" && score != 1) || (s == "0.00" && score != 0) {
		return strconv.FormatFloat(score, 'g', -1, 64)
	}
	return s
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// thousands puts commas between the thousands.
func thousands(s string) string {
	whole, fraction, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	var b strings.Builder
	for i, digit := range []byte(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(digit)
	}
	if fraction != "" {
		b.WriteString("." + fraction)
	}
	return sign + b.String()
}
