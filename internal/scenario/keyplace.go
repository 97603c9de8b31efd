package scenario

import (
	"regexp"
	"sync"

	"github.com/arena-evals/arena/internal/node"
)

// A key where the name of its variable belongs, and the other way round.

// variableName matches what a variable of the environment can be named.
var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// namedLikeKey matches names that variables with keys have. A key that is made up, such as NO_KEY, has none of these.
var namedLikeKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:API_KEY|ACCESS_TOKEN|AUTH_TOKEN)$`)
})

// keyVariable reads the name of the variable that holds a key. What is no name is taken for the key itself, which then
// stands in no message.
func (d *decoder) keyVariable(n *node.Node, p *Provider) string {
	name, ok := d.Name(n, "credential_env")
	if !ok || variableName().MatchString(name) || variable().MatchString(name) { // the last one is told of as unfilled
		return name
	}
	p.MisplacedKey = name
	d.Errorf(n, "wrong-value",
		"credential_env is the name of a variable, and what stands here is none: is it the key itself?").
		Hint = "put the key into a variable, and write the name of that: OPENAI_API_KEY"
	return ""
}

// nameForKey reports the name of a variable in the place of a key, and whether it is one.
func (d *decoder) nameForKey(n *node.Node) bool {
	if n.Kind != node.Scalar || !namedLikeKey().MatchString(n.Value) {
		return false
	}
	d.Errorf(n, "not-filled-in", "api_key is the key itself, and %s is the name of a variable", n.Value).Hint =
		"write credential_env: " + n.Value + ", or api_key: ${" + n.Value + "}"
	return true
}
