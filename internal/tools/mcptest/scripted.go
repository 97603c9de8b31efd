package mcptest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// script is a server written by hand, as others write them: it knows three methods, and misbehaves as its kind says.
type script struct {
	kind  string
	lines *bufio.Scanner
}

// request is what a script reads of a message.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string         `json:"name"`
		Cursor    string         `json:"cursor"`
		Arguments map[string]any `json:"arguments"`
	} `json:"params"`
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// scripted runs a script to its end.
func scripted(kind string) {
	withoutReading(kind)
	s := &script{kind: kind, lines: bufio.NewScanner(os.Stdin)}
	s.lines.Buffer(nil, 64<<20)
	for s.lines.Scan() {
		var req request
		if json.Unmarshal(s.lines.Bytes(), &req) != nil {
			continue
		}
		switch req.Method {
		case "server/discover":
			s.discover(&req)
		case "initialize":
			s.initialize(&req)
		case "tools/list":
			s.list(&req)
		case "tools/call":
			s.call(&req)
		}
	}
	if errors.Is(s.lines.Err(), bufio.ErrTooLong) {
		os.Exit(9)
	}
}

// withoutReading is the whole life of the kinds that read nothing. It returns for all others.
func withoutReading(kind string) {
	switch kind {
	case "mute":
		select {}
	case "deaf": // it never reads
		say(`hello`)
		select {}
	case "exits":
		fmt.Fprintln(os.Stderr, "no licence")
		os.Exit(3)
	case "garbage":
		for {
			say("garbage")
		}
	case "long":
		half := strings.Repeat("x", 1<<20)
		for range 1 << 10 {
			if _, err := fmt.Print(half); err != nil {
				os.Exit(1)
			}
		}
	}
}

func (s *script) discover(req *request) {
	if s.kind != "plain" && s.kind != "easily upset" { // most servers answer that they do not know it
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, req.ID)
	}
	if s.kind == "easily upset" {
		fmt.Fprintln(os.Stderr, "unknown method")
		os.Exit(1)
	}
}

func (s *script) initialize(req *request) {
	version := "2025-06-18"
	if s.kind == "another version" {
		version = "1999-01-01"
	}
	say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{}},`+
		`"serverInfo":{"name":"x","version":"1"}}}`,
		req.ID, version)
}

func (s *script) list(req *request) {
	list := `[{"name":"echo","description":"it","inputSchema":{"type":"object"}}]`
	next := ""
	switch s.kind {
	case "two of a name":
		list = `[{"name":"echo","inputSchema":{"type":"object"}},{"name":"echo","inputSchema":{"type":"object"}}]`
	case "foreign pattern": // expressions of JavaScript can look ahead
		list = `[{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"pattern":"^(?!x)"}}}}]`
	case "pages":
		list = fmt.Sprintf(`[{"name":"echo%s","inputSchema":{"type":"object"}}]`, req.Params.Cursor)
		if len(req.Params.Cursor) < 3 {
			next = req.Params.Cursor + "x"
		}
	case "endless":
		list, next = "[]", "again"
	case "nameless":
		list = `[{"name":"","inputSchema":{"type":"object"}}]`
	case "null":
		list = `[null]`
	}
	if s.kind == "closes its input" {
		_ = os.Stdin.Close()
	}
	say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":%s,"nextCursor":%q}}`, req.ID, list, next)
	if s.kind == "closes its input" {
		<-time.After(time.Hour)
	}
}

func (s *script) call(req *request) {
	switch s.kind {
	case "half a line":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"res`, req.ID)
		os.Exit(0)
	case "invalid":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`+"\xff\xfe"+`"}]}}`, req.ID)
	case "wrong shape":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":"text"}}`, req.ID)
	case "another type":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"isError":"yes"}}`, req.ID)
	case "old words":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"toolResult":"fine"}}`, req.ID)
	case "other words":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"fine"}],"is_error":true}}`, req.ID)
	case "other letters":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"fine"}],"iserror":true}}`, req.ID)
	case "a task":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"task":{"taskId":"1","status":"working"}}}`, req.ID)
	case "structured failure":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"error":"no rights"}}}`, req.ID)
	case "a null":
		say(`{"jsonrpc":"2.0","id":%s,"result":null}`, req.ID)
	case "a text":
		say(`{"jsonrpc":"2.0","id":%s,"result":"fine"}`, req.ID)
	case "id as text":
		say(`{"jsonrpc":"2.0","id":"%s","result":{"content":[]}}`, req.ID)
	case "id of nobody":
		say(`{"jsonrpc":"2.0","id":99,"result":{"content":[]}}`)
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"fine"}]}}`, req.ID)
	case "no version":
		say(`{"id":%s,"result":{"content":[]}}`, req.ID)
	case "unknown content":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"hologram"}]}}`, req.ID)
	case "empty":
		say(`{"jsonrpc":"2.0","id":%s}`, req.ID)
	case "refuses":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"text is too long"}}`, req.ID)
	case "breaks":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":""}}`, req.ID)
	case "asks":
		say(`{"jsonrpc":"2.0","id":77,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
		s.lines.Scan()
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, req.ID, s.lines.Text())
	case "batch":
		say(`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},`+
			`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"both"}]}}]`, req.ID)
	default:
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"fine"}]}}`, req.ID)
	}
}
