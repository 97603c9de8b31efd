package result

import "iter"

// few is a map that mostly has few keys, and takes little memory then.
type few[K comparable, V any] struct {
	list   []keyed[K, V]
	places map[K]int // in the list; nil: the list is short
}

type keyed[K comparable, V any] struct {
	key   K
	value V
}

// notFew is how many keys are looked through one after the other.
const notFew = 16

func (f *few[K, V]) len() int { return len(f.list) }

// get is the value of a key, until the next one is added; nil: it has none.
func (f *few[K, V]) get(key K) *V {
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

// make is get, with a zero value for a new key.
func (f *few[K, V]) make(key K) *V {
	if v := f.get(key); v != nil {
		return v
	}
	var zero V
	return f.add(key, zero)
}

// add adds a key that is not there.
func (f *few[K, V]) add(key K, v V) *V {
	f.list = append(f.list, keyed[K, V]{key, v})
	switch n := len(f.list); {
	case f.places != nil:
		f.places[key] = n - 1
	case n > notFew:
		f.places = make(map[K]int, 2*n)
		for i := range f.list {
			f.places[f.list[i].key] = i
		}
	}
	return &f.list[len(f.list)-1].value
}

// all are the keys and their values, in the order in which they came.
func (f *few[K, V]) all() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for i := range f.list {
			if !yield(f.list[i].key, &f.list[i].value) {
				return
			}
		}
	}
}
