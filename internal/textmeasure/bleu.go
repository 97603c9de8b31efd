package textmeasure

import "math"

// Bleu is how much a reply shares with references, and of what that is made.
type Bleu struct {
	Score      float64   // 0..1
	Precisions []float64 // of n-grams, n from 1 on; a reply of fewer than four words has as many
	Brevity    float64   // 0..1; less than 1 for a reply that is shorter than the nearest reference
	Nearest    int       // words of the reference that is nearest in length
}

// BLEU is the measure for translations (Papineni and others, "BLEU: a method for automatic evaluation of machine
// translation", 2002), smoothed from n = 2 on by one that is added to both counts (Lin and Och, "ORANGE: a method for
// evaluating automatic evaluation metrics for machine translation", 2004). There must be a reference.
func BLEU(reply Items, references []Items) Bleu {
	b := Bleu{Precisions: []float64{}, Nearest: closest(references, len(reply))}
	for n := 1; n <= min(MaxGram, len(reply)); n++ {
		wanted := map[gram]int{}
		for _, reference := range references {
			for g, times := range grams(reference, n) {
				wanted[g] = max(wanted[g], times)
			}
		}
		b.Precisions = append(b.Precisions, smoothed(clipped(wanted, reply, n), len(reply)-n+1, n))
	}
	if len(reply) > 0 {
		b.Brevity = min(1, math.Exp(1-float64(b.Nearest)/float64(len(reply))))
	}
	b.Score = b.Brevity * geometricMean(b.Precisions)
	return b
}

// smoothed is the share of n-grams that match.
func smoothed(matched, total, n int) float64 {
	if n > 1 {
		matched, total = matched+1, total+1
	}
	return float64(matched) / float64(total)
}

// closest is the length of the reference that is nearest in length, the shorter of two.
func closest(references []Items, length int) int {
	best := len(references[0])
	for _, r := range references {
		d, least := abs(len(r)-length), abs(best-length)
		if d < least || d == least && len(r) < best {
			best = len(r)
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// geometricMean is 0 for no numbers and when one of them is 0.
func geometricMean(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sum := 0.0
	for _, f := range list {
		sum += math.Log(f)
	}
	return math.Exp(sum / float64(len(list)))
}
