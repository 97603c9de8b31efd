// Package selection decides which part of a plan runs: by names, patterns and rows that the user asks for, by random
// samples, and by shards.
package selection
