package jsonvalue_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

func sample() jsonvalue.Object {
	return jsonvalue.Object{
		"a": "x", "b": []any{true, nil, json.Number("7"), jsonvalue.Object{"c": "y", "d": []any{}}}, "e": jsonvalue.Object{},
	}
}

func TestClone(t *testing.T) {
	t.Parallel()
	was, copied := sample(), jsonvalue.CloneObject(sample())
	if diff := cmp.Diff(was, copied); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	copied["b"].([]any)[3].(jsonvalue.Object)["c"], copied["e"].(jsonvalue.Object)["new"] = "z", 1
	original := sample()
	again := jsonvalue.CloneObject(original)
	again["b"].([]any)[0] = false
	if diff := cmp.Diff(sample(), original); diff != "" {
		t.Errorf("the original changed (-want +got):\n%s", diff)
	}
	if jsonvalue.CloneObject(nil) != nil || jsonvalue.Clone(nil) != nil {
		t.Error("nothing is copied as something")
	}
}

func TestMap(t *testing.T) {
	t.Parallel()
	got := jsonvalue.Map(sample(), func(leaf any) any {
		if text, is := leaf.(string); is {
			return text + "!"
		}
		return leaf
	})
	want := sample()
	want["a"], want["b"].([]any)[3].(jsonvalue.Object)["c"] = "x!", "y!"
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWalks(t *testing.T) {
	t.Parallel()
	texts := slices.Sorted(jsonvalue.Texts(sample()))
	if diff := cmp.Diff([]string{"a", "b", "c", "d", "e", "x", "y"}, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	leaves := 0
	for range jsonvalue.Leaves(sample()) {
		leaves++
	}
	if leaves != 5 {
		t.Errorf("%d leaves", leaves)
	}
	for range jsonvalue.Texts(sample()) { // ends when nobody wants more
		break
	}
	for range jsonvalue.Leaves(sample()) {
		break
	}
}
