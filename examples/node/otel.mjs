// The agent of agent.mjs, which tells what it does through OpenTelemetry. It needs two packages:
//
// npm install @opentelemetry/sdk-trace-node @opentelemetry/exporter-trace-otlp-proto
import { answer } from "./agent.mjs";

const packages = ["@opentelemetry/sdk-trace-node", "@opentelemetry/exporter-trace-otlp-proto"];
const [sdk, exporter] = await Promise.all(packages.map((name) => import(name))).catch((missing) => {
  console.error(`${missing.message}: npm install ${packages.join(" ")}`);
  process.exit(1);
});

const batches = new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter()); // to where arena says, by variables
const provider = new sdk.NodeTracerProvider({ spanProcessors: [batches] });
provider.register();
const tracer = provider.getTracer("agent");

function span(kind, name, attributes, work) {
  return tracer.startActiveSpan(name, async (current) => {
    const done = { "openinference.span.kind": kind };
    try {
      return await work(done);
    } finally {
      for (const [key, value] of Object.entries({ ...attributes, ...done })) {
        current.setAttribute(key, typeof value === "object" ? JSON.stringify(value) : value);
      }
      current.end();
    }
  });
}

console.log(await answer(process.argv[2], span));
await provider.shutdown(); // sends what was not sent yet
