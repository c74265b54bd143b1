import { expect, test } from "vitest";
import type { TensorInfo } from "../onnx/decoder-graph.ts";
import { describeCacheSlots } from "./cache-layout.ts";

type Shape = TensorInfo["shape"];

/** The layout of one cache input, for which the graph has an output. */
function layoutOf(name: string, shape: Shape, config: Readonly<Record<string, unknown>> = {}) {
  const output = name.replace(/^past(_key_values)?/, "present");
  const info = { name, type: "float32", shape };
  return describeCacheSlots([info], [{ ...info, name: output }], config, "model.onnx")[0];
}

const sizes = { num_attention_heads: 4, num_key_value_heads: 2, hidden_size: 64, head_dim: 32 };

test.each<[string, string, Shape, readonly number[], number | null]>([
  ["past_key_values.0.key", "present.0.key", ["batch_size", 2, "past_sequence_length", 16], [1, 2, 0, 16], 2],
  [
    "past_key_values.0.key",
    "present.0.key",
    ["batch", "heads", "past_seq_len", "kv_cache_dim"],
    [1, 2, 0, 32],
    2,
  ],
  ["past_key_values.3.key", "present.3.key", ["batch_size x num_heads", 16, "past_length"], [2, 16, 0], 2],
  ["past_key_values.3.key_value", "present.3.key_value", ["batch_size", "past_length", 128], [1, 0, 128], 1],
  ["past.1.conv", "present.1.conv", ["batch_size", 64, 2], [1, 64, 2], null],
  ["past_conv.1", "present_conv.1", ["batch_size", "hidden_size", 3], [1, 64, 3], null],
  ["past_ssm.4", "present_ssm.4", [1, 8, 16, 16], [1, 8, 16, 16], null],
])("%s → %s, %j", (input, output, shape, empty, axis) => {
  expect(layoutOf(input, shape, sizes)).toEqual({ input, output, type: "float32", empty, axis });
});

test("a shape that nobody says is an error that names it", () => {
  const open: Shape = ["batch_size", "heads", "past_length", "d"];
  expect(() => layoutOf("past_key_values.0.key", open)).toThrow(
    'model.onnx does not say what shape "past_key_values.0.key" has (batch_size × heads × past_length × d)',
  );
  expect(() => layoutOf("past_ssm.0", ["batch_size", "seq_a", "seq_b"])).toThrow(
    'what shape "past_ssm.0" has',
  );
});

test("a cache that does not come back is an error", () => {
  const input = { name: "past_ssm.0", type: "float32", shape: [1, 2] };
  expect(() => describeCacheSlots([input], [], {}, "model.onnx")).toThrow('does not return "present_ssm.0"');
});
