"""The agent of agent.py as a program that answers turn after turn, by lines of JSON (protocol: lines)."""
import contextlib
import itertools
import json
import sys

from agent import answer

ids = itertools.count(1)


def say(**line):
    print(json.dumps(line), flush=True)


@contextlib.contextmanager
def span(kind, name, attributes):
    """Tells in lines what agent.py tells in spans."""
    done = {}
    if kind == "LLM":
        yield done
        say(type="usage", input_tokens=attributes["llm.token_count.prompt"],
            output_tokens=done["llm.token_count.completion"], cost_usd=done["llm.cost.total"])
        return
    call = f"call-{next(ids)}"
    say(type="tool_call", id=call, name=name, args=attributes["tool.parameters"])
    try:
        yield done
    except Exception as failure:
        say(type="tool_result", id=call, error=repr(failure))
        raise
    say(type="tool_result", id=call, result=json.loads(done["output.value"]))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "end":
        break
    if message["type"] == "turn":
        say(type="reply", text=answer(message["text"], span))
