package cli

import "testing"

func TestHeapPercent(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{
		0: smallPercent, 1 << 20: smallPercent, 13 << 20: smallPercent, 26 << 20: 100, 51 << 20: largePercent,
		52 << 20: 53, 79 << 20: largePercent, 80 << 20: 137, 189 << 20: largePercent, 190 << 20: largePercent,
		10 << 30: largePercent,
	} {
		if got := heapPercent(live); got != want {
			t.Errorf("%d MiB in use may grow by %d%%, want %d%%", live>>20, got, want)
		}
	}
}
