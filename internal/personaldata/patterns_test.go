package personaldata

import (
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want string // names of all patterns that match, in their order
	}{
		{"write to jane.doe+x@mail.example.co.uk.", "email"},
		{"JANE@EXAMPLE.ORG", "email"},
		{"jürgen@müller.de", "email"},
		{"<a@b.io>", "email"},
		{"mail: a@b.io: it works", "email"},
		{"meet me @ noon", ""},
		{"@jane on our network", ""},
		{"npm install @types/node@18.2.1", ""},
		{"user@localhost", ""},
		{"git clone git@github.com:arena/arena.git", ""},
		{"ssh://git@example.com/repo", ""},
		{"https://jane@example.com/", ""},
		{"logo@2x.png and icon@3x.webp", ""},
		{"logo@2x.png of a@b.io", "email"},
		{"@@@@", ""},

		{"078-05-1120", "ssn"},
		{"SSN:078-05-1120.", "ssn"},
		{"078\u201105\u20131120", "ssn"},
		{"078\u00ad-05-1120", "ssn"},
		{"4111\u00a01111\u20091111\u202f1111", "credit_card"},
		{"4111\u20111111\u22121111\u20141111", "credit_card"},
		{"\uff14\uff11\uff11\uff11 1111 1111 1111", "credit_card"},
		{"GB82\u00a0WEST\u00a01234\u00a05698\u00a07654\u00a032", "iban"},
		{"jane\u200b.doe@mail.example", "email"},
		{"jane.doe\uff20mail.example", "email"},
		{"078-05-11201", ""},
		{"1078-05-1120", ""},
		{"2024-05-1120", ""},
		{"078 05 1120", ""},

		{"4111 1111 1111 1111", "credit_card"},
		{"4111-1111-1111-1111", "credit_card"},
		{"1234567812345678", "credit_card"}, // sixteen digits are enough
		{"41111111111111111", ""},           // seventeen
		{"411111111111111", ""},             // fifteen
		{"4111  1111 1111 1111", ""},
		{"order 4111.1111.1111.1111", ""},
		{"378282246310005", "credit_card"}, // American Express
		{"3782 822463 10005", "credit_card"},
		{"3782 822463 10006", ""},              // not its check digit
		{"30569309025904", "credit_card"},      // Diners Club
		{"3056 930902 5905", ""},               // not its check digit
		{"6304000000000000000", "credit_card"}, // nineteen digits
		{"4000 0000 0000 0000 006", "credit_card"},
		{"4006381333931", ""},       // a pen: EAN-13
		{"1718000000000", ""},       // a time in milliseconds
		{"1800000000000000005", ""}, // an id

		{"IBAN: GB82 WEST 1234 5698 7654 32.", "iban"},
		{"gb82west12345698765432", "iban"},
		{"DE89370400440532013000", "iban"},
		{"DE89 3704 0044 0532 0130 00 and more", "credit_card iban"},
		{"BE68 5390 0754 7034 is hers", "iban"},
		{"NO9386011117947", "iban"},
		{"DE88370400440532013000", ""},  // not its check digits
		{"DE8937040044053201300", ""},   // too short
		{"DE893704004405320130001", ""}, // too long
		{"XX89370400440532013000", ""},  // no such country
		{"DE89-3704-0044-0532-0130-00", "credit_card"},
		{"key GB82 and so on and so forth", ""},
		{"in DE12", ""},

		{"call +1 202 555 0143", "phone"},
		{"+43 (1) 234-5678", "phone"},
		{"+4915112345678.", "phone"},
		{"+1 202", ""},
		{"+10%", ""},
		{"1 + 202555014", ""},
		{"+1234567890123456", "credit_card"}, // sixteen digits
		{"202-555-0143", ""},

		{"from 8.8.8.8", "ipv4"},
		{"from 8.8.8.8.", "ipv4"},
		{"127.0.0.1, 10.1.2.3, 192.168.0.1, 172.16.5.5", ""},
		{"192.0.2.7 and 203.0.113.9", ""},
		{"version 1.2.3.4.5", ""},
		{"300.1.1.1", ""},
		{"1.2.3", ""},

		{"a@b.io, 078-05-1120, 8.8.8.8", "email ssn ipv4"},
		{"", ""},
		{"Your order A-1001 ships tomorrow, for 1,234.56 EUR.", ""},
	} {
		var got []string
		for _, p := range Patterns {
			if p.In(tc.text) {
				got = append(got, p.Name)
			}
		}
		if joined := strings.Join(got, " "); joined != tc.want {
			t.Errorf("%s: %q, want %q", tc.text, joined, tc.want)
		}
	}
}

func FuzzPatterns(f *testing.F) {
	f.Add("IBAN GB82 WEST 1234 5698 7654 32, a@b.io, +1 202 555 0143, 8.8.8.8, 3782 822463 10005")
	f.Add("DE89 \xff")
	f.Fuzz(func(_ *testing.T, text string) {
		for _, p := range Patterns {
			p.In(text)
		}
	})
}

func BenchmarkPatterns(b *testing.B) {
	text := strings.Repeat("Order 1234-5678 of DE12 ships on 2024-05-11 to +1 the usual (a@b) address. ", 50)
	for _, p := range Patterns {
		b.Run(p.Name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if p.In(text) {
					b.Fatal("it matches")
				}
			}
		})
	}
}
