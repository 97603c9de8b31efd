package result

import "iter"

// smallMap is a map that needs little memory for few keys.
type smallMap[K comparable, V any] struct {
	list   []keyed[K, V]
	places map[K]int // index in the list; nil: the list is short
}

type keyed[K comparable, V any] struct {
	key   K
	value V
}

// maxScan is the number of keys up to which the list is scanned.
const maxScan = 16

func (f *smallMap[K, V]) len() int { return len(f.list) }

// get returns the value of a key; nil: none. The pointer is valid until the next key is added.
func (f *smallMap[K, V]) get(key K) *V {
	if f.places != nil {
		if i, there := f.places[key]; there {
			return &f.list[i].value
		}
		return nil
	}
	for i := range f.list {
		if f.list[i].key == key {
			return &f.list[i].value
		}
	}
	return nil
}

// make is get; it adds a zero value for a new key.
func (f *smallMap[K, V]) make(key K) *V {
	if v := f.get(key); v != nil {
		return v
	}
	var zero V
	return f.add(key, zero)
}

// add adds a new key.
func (f *smallMap[K, V]) add(key K, v V) *V {
	f.list = append(f.list, keyed[K, V]{key, v})
	switch n := len(f.list); {
	case f.places != nil:
		f.places[key] = n - 1
	case n > maxScan:
		f.places = make(map[K]int, 2*n)
		for i := range f.list {
			f.places[f.list[i].key] = i
		}
	}
	return &f.list[len(f.list)-1].value
}

// all yields the keys and their values in the order in which they were added.
func (f *smallMap[K, V]) all() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for i := range f.list {
			if !yield(f.list[i].key, &f.list[i].value) {
				return
			}
		}
	}
}
