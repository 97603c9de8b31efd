package textmeasure

// ROUGE counts the n-grams in common, n from 1 to [MaxGram], each as often as in the text that has it less (Lin,
// "ROUGE: A package for automatic evaluation of summaries", 2004).
func ROUGE(reply, reference Items, n int) Overlap {
	return Overlap{clipped(grams(reference, n), reply, n), max(0, len(reference)-n+1), max(0, len(reply)-n+1)}
}

// ROUGEL is ROUGE by the words of the longest common subsequence. It refuses texts that are too long to be compared.
func ROUGEL(reply, reference Items) (Overlap, error) {
	both, err := Compare(reply, reference)
	if err != nil {
		return Overlap{}, err
	}
	return Overlap{both.Common(), len(reference), len(reply)}, nil
}
