"""The agent of agent.py, which tells what it does through OpenTelemetry. It needs two packages:

pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
"""
import contextlib
import json
import sys

from agent import answer

try:
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
except ImportError as missing:
    sys.exit(f"{missing}: pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http")

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))  # to where arena says, by variables
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("agent")


@contextlib.contextmanager
def span(kind, name, attributes):
    done = {"openinference.span.kind": kind}
    with tracer.start_as_current_span(name) as current:
        yield done
        for key, value in {**attributes, **done}.items():
            current.set_attribute(key, json.dumps(value) if isinstance(value, dict) else value)


if __name__ == "__main__":
    print(answer(sys.argv[1], span))
    provider.shutdown()  # sends what was not sent yet
