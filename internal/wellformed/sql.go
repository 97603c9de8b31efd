package wellformed

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rqlite/sql"

	"github.com/arena-evals/arena/internal/say"
)

// The parser works by recursion, so that its input must be bounded.
const (
	maxSQL      = 64 << 10 // bytes
	maxSQLDepth = 200      // of parentheses
)

// SQL parses statements as SQLite understands them, and names the kind of each: select, insert, other. With an error
// these are the ones before the mistake.
func SQL(text string) (kinds []string, err error) {
	if len(text) > maxSQL {
		return nil, &LimitError{
			fmt.Sprintf("the reply is too long to be parsed as SQL: %d bytes, at most %d", len(text), maxSQL)}
	}
	if kinds, err = statements(text); err != nil {
		err = errors.New(say.Cut(say.OneLine(complaint(text, err)), 2*say.QuoteLimit))
	}
	return kinds, err
}

func statements(text string) ([]string, error) {
	kinds := []string{}
	closing, err := parentheses(text)
	if err != nil {
		return kinds, err
	}
	p := sql.NewParser(strings.NewReader(text))
	for {
		stmt, err := p.ParseStatement()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			_, err = sql.Walk(closed(closing), stmt)
		}
		if err != nil {
			return kinds, err
		}
		kinds = append(kinds, kindOf(stmt))
	}
	if len(kinds) == 0 {
		return kinds, errors.New("there is no statement")
	}
	return kinds, nil
}

// parentheses finds what the parser accepts wrongly: invalid characters, and unbalanced parentheses. It returns the
// positions of the closing ones.
func parentheses(text string) (map[int]bool, error) {
	closing, depth := map[int]bool{}, 0
	for s := sql.NewScanner(strings.NewReader(text)); ; {
		pos, token, lit := s.Scan()
		switch token {
		case sql.EOF:
			if depth > 0 {
				return nil, errors.New("a parenthesis is not closed")
			}
			return closing, nil
		case sql.ILLEGAL:
			return nil, fmt.Errorf("%s: unexpected %s", pos, say.Quote(torn(text, lit)))
		case sql.LP:
			if depth++; depth > maxSQLDepth {
				return nil, fmt.Errorf("parentheses are nested deeper than %d", maxSQLDepth)
			}
		case sql.RP:
			if depth--; depth < 0 {
				return nil, fmt.Errorf("%s: a parenthesis closes nothing", pos)
			}
			closing[pos.Offset] = true
		default: // the parser looks at the others
		}
	}
}

// torn is a found text with the mark of a cut if it is a part of a word.
func torn(text, found string) string {
	at := strings.LastIndex(text, found)
	if at < 0 {
		return found
	}
	if r, size := utf8.DecodeRuneInString(text[at+len(found):]); size > 0 && !unicode.IsSpace(r) {
		found += "…"
	}
	if r, size := utf8.DecodeLastRuneInString(text[:at]); size > 0 && !unicode.IsSpace(r) {
		found = "…" + found
	}
	return found
}

// complaint is the parser's error for a text. It names a token, which may be a part of a word.
func complaint(text string, err error) string {
	message, found, named := strings.Cut(err.Error(), ", found ")
	if !named {
		return message
	}
	return message + ", found " + torn(text, found)
}

// closed visits the parts of a statement and refuses an expression in parentheses that something else closes.
type closed map[int]bool

func (c closed) Visit(n sql.Node) (sql.Visitor, sql.Node, error) {
	if e, ok := n.(*sql.ParenExpr); ok && !c[e.Rparen.Offset] {
		return nil, n, fmt.Errorf("%s: expected a closing parenthesis", e.Rparen)
	}
	return c, n, nil
}

func (closed) VisitEnd(n sql.Node) (sql.Node, error) { return n, nil }

func kindOf(s sql.Statement) string {
	switch s.(type) {
	case *sql.SelectStatement:
		return "select"
	case *sql.InsertStatement:
		return "insert"
	case *sql.UpdateStatement:
		return "update"
	case *sql.DeleteStatement:
		return "delete"
	case *sql.CreateTableStatement, *sql.CreateIndexStatement, *sql.CreateViewStatement, *sql.CreateTriggerStatement:
		return "create"
	case *sql.AlterTableStatement:
		return "alter"
	case *sql.DropTableStatement, *sql.DropIndexStatement, *sql.DropViewStatement, *sql.DropTriggerStatement:
		return "drop"
	case *sql.ExplainStatement:
		return "explain"
	case *sql.BeginStatement:
		return "begin"
	case *sql.CommitStatement:
		return "commit"
	case *sql.RollbackStatement:
		return "rollback"
	}
	return "other"
}
