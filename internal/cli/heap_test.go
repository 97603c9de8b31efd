package cli

import "testing"

func TestHeapPercent(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{
		0: smallPercent, 1 << 20: smallPercent, roomy / 4: smallPercent, roomy / 2: 100, roomy * 4 / 5: 25,
		roomy: largePercent, roomy * 9 / 10: largePercent, 100 * roomy: largePercent,
	} {
		if got := heapPercent(live); got != want {
			t.Errorf("%d bytes in use may grow by %d%%, want %d%%", live, got, want)
		}
	}
}
