// Otelagent is a program that is an agent and tells of its work by the official OpenTelemetry SDK, which learns from
// its environment where to send its spans. It answers an argument, or lines of JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/trace"
	tracing "go.opentelemetry.io/otel/trace"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	if err != nil {
		return err
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter))
	defer func() { _ = provider.Shutdown(ctx) }()
	tracer := provider.Tracer("otelagent")
	if len(os.Args) > 1 {
		fmt.Println(answer(ctx, tracer, os.Args[1]))
		return nil
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m struct{ Type, Text string }
		if err := json.Unmarshal(in.Bytes(), &m); err != nil || m.Type == "end" {
			return err
		}
		out, err := json.Marshal(map[string]string{"type": "reply", "text": answer(ctx, tracer, m.Text)})
		if err != nil {
			return err
		}
		fmt.Println(string(out)) // its spans come a little later
	}
	return nil
}

// answer asks a model, calls a tool, and asks again.
func answer(ctx context.Context, tracer tracing.Tracer, number string) string {
	ctx, agent := tracer.Start(ctx, "agent", tracing.WithAttributes(
		attribute.String("gen_ai.operation.name", "invoke_agent")))
	defer agent.End()
	ask := func(tokens int) {
		_, span := tracer.Start(ctx, "chat", tracing.WithAttributes(
			attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.request.model", "a-model"),
			attribute.Int("gen_ai.usage.input_tokens", tokens), attribute.Int("gen_ai.usage.output_tokens", 5),
			attribute.Float64("gen_ai.usage.cost", 0.25)))
		span.End()
	}
	ask(10)
	_, tool := tracer.Start(ctx, "execute_tool find_order", tracing.WithAttributes(
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "find_order"),
		attribute.String("gen_ai.tool.call.arguments", fmt.Sprintf(`{"number": %q}`, number)),
		attribute.String("gen_ai.tool.call.result", "shipped")))
	tool.End()
	ask(20)
	return "Your order " + number + " is shipped."
}
