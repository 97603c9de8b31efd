// The agent of agent.mjs as a program that answers turn after turn, by lines of JSON (protocol: lines).
import { createInterface } from "node:readline";
import { answer } from "./agent.mjs";

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
let calls = 0;

// Tells in lines what agent.mjs tells in spans.
async function span(kind, name, attributes, work) {
  const done = {};
  if (kind === "LLM") {
    const result = await work(done);
    say({
      type: "usage", input_tokens: attributes["llm.token_count.prompt"],
      output_tokens: done["llm.token_count.completion"], cost_usd: done["llm.cost.total"],
    });
    return result;
  }
  const id = `call-${++calls}`;
  say({ type: "tool_call", id, name, args: attributes["tool.parameters"] });
  try {
    const result = await work(done);
    say({ type: "tool_result", id, result });
    return result;
  } catch (failure) {
    say({ type: "tool_result", id, error: String(failure) });
    throw failure;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "end") break;
  if (message.type === "turn") say({ type: "reply", text: await answer(message.text, span) });
}
