// An agent with two tools. It tells arena what it does with Node alone: node agent.mjs "a message".
import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const orders = {
  "A-1001": ["shipped", 2], "A-1002": ["delivered", 12], "A-1003": ["delivered", 45], "A-1004": ["lost", 60],
};

const find_order = ({ number }) => {
  const [status, days] = orders[number] ?? ["unknown", 0];
  return { number, status, days };
};
const refund_order = ({ number, reason }) => ({ number, reason, refunded: true });

// The agent. Rules stand where yours asks a model; span is how it tells what it does.
export async function answer(message, span) {
  const asked = { "llm.model_name": "rules", "llm.token_count.prompt": Math.floor(message.length / 4) };
  const number = await span("LLM", "choose", asked, async (done) => {
    Object.assign(done, { "llm.token_count.completion": 1, "llm.cost.total": 0 });
    return message.match(/A-\d+/)?.[0];
  });
  if (!number) return "Which order is it? Its number begins with A-.";
  const order = await call(span, find_order, { number });
  if (order.status === "unknown") return `I cannot find an order ${number}. Is that its number?`;
  if (!/refund|money back/.test(message)) return `Order ${number} is ${order.status}, as of ${order.days} days ago.`;
  if (order.status === "shipped") {
    return `Order ${number} is on its way. Send it back when it is there, and I refund it.`;
  }
  if (order.status === "delivered" && order.days > 30) {
    return `Order ${number} came ${order.days} days ago, and the 30 days for a refund are over.`;
  }
  await call(span, refund_order, { number, reason: order.status });
  return `I have refunded order ${number}.`;
}

function call(span, tool, args) {
  return span("TOOL", tool.name, { "tool.parameters": args }, async (done) => {
    const result = await tool(args);
    done["output.value"] = JSON.stringify(result);
    return result;
  });
}

// Writes what happened within it into a file of which arena tells the folder; without arena it does nothing.
async function span(kind, name, attributes, work) {
  const done = { "openinference.span.kind": kind, ...attributes };
  const start = Date.now();
  const result = await work(done);
  if (process.env.ARENA_TRACE_DIR) {
    const line = {
      name, span_id: randomBytes(8).toString("hex"), start_time: start, end_time: Date.now(), attributes: done,
    };
    appendFileSync(join(process.env.ARENA_TRACE_DIR, "spans.jsonl"), JSON.stringify(line) + "\n");
  }
  return result;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.log(await answer(process.argv[2], span));
