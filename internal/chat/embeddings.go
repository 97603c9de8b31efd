package chat

// Embeddings are texts as vectors, so that texts of like meaning have vectors that point the same way.
type Embeddings struct {
	Vectors [][]float64 // one for each text, in their order and all of one length
	Model   string      // as the provider named it
	Tokens  *int        // of the texts; nil: the provider did not say
	CostUSD *float64    // nil: not known
	Cached  bool        // they were paid for earlier, and nothing now; the cost is that of then
}
