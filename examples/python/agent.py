"""An agent with two tools. It tells arena what it does with the standard library alone: python3 agent.py "a message"."""
import contextlib
import json
import os
import pathlib
import re
import secrets
import sys
import time

ORDERS = {"A-1001": ("shipped", 2), "A-1002": ("delivered", 12), "A-1003": ("delivered", 45), "A-1004": ("lost", 60)}


def find_order(number):
    status, days = ORDERS.get(number, ("unknown", 0))
    return {"number": number, "status": status, "days": days}


def refund_order(number, reason):
    return {"number": number, "reason": reason, "refunded": True}


def answer(message, span):
    """The agent. Rules stand where yours asks a model; `span` is how it tells what it does."""
    with span("LLM", "choose", {"llm.model_name": "rules", "llm.token_count.prompt": len(message) // 4}) as done:
        number = re.search(r"A-\d+", message)
        done.update({"llm.token_count.completion": 1, "llm.cost.total": 0})
    if not number:
        return "Which order is it? Its number begins with A-."
    order = call(span, find_order, number=number[0])
    if order["status"] == "unknown":
        return f"I cannot find an order {number[0]}. Is that its number?"
    if not re.search("refund|money back", message):
        return f"Order {number[0]} is {order['status']}, as of {order['days']} days ago."
    if order["status"] == "shipped":
        return f"Order {number[0]} is on its way. Send it back when it is there, and I refund it."
    if order["status"] == "delivered" and order["days"] > 30:
        return f"Order {number[0]} came {order['days']} days ago, and the 30 days for a refund are over."
    call(span, refund_order, number=number[0], reason=order["status"])
    return f"I have refunded order {number[0]}."


def call(span, tool, **args):
    with span("TOOL", tool.__name__, {"tool.parameters": args}) as done:
        result = tool(**args)
        done["output.value"] = json.dumps(result)
    return result


@contextlib.contextmanager
def span(kind, name, attributes):
    """Writes what happened within it into a file of which arena tells the folder; without arena it does nothing."""
    attributes = {"openinference.span.kind": kind, **attributes}
    line = {"name": name, "span_id": secrets.token_hex(8), "start_time": time.time_ns(), "attributes": attributes}
    yield attributes
    line["end_time"] = time.time_ns()
    if folder := os.environ.get("ARENA_TRACE_DIR"):
        with pathlib.Path(folder, "spans.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    print(answer(sys.argv[1], span))
