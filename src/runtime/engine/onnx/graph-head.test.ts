import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exportedGraphs } from "../testing/exported-models.ts";
import { parseModel } from "./codec.ts";
import { parseGraphBeginning } from "./graph-head.ts";
import { inspectGraph } from "./inspect.ts";
import { OnnxFormatError } from "./wire.ts";

const bundled = new Uint8Array(readFileSync("public/models/stories260k/onnx/model.onnx"));
/** An offset after the last node: the nodes of `bundled`, and everything before them, have 15,398 bytes. */
const nodeBytes = 16_000;

describe("the beginning of a graph", () => {
  test("names all nodes, and nothing of what comes later", () => {
    const whole = inspectGraph(parseModel(bundled));
    const model = parseGraphBeginning(bundled.subarray(0, nodeBytes));
    const head = model && inspectGraph(model);
    expect(head?.operators).toEqual(whole.operators);
    expect(head?.inputs).toEqual([]);
  });

  test("that is cut among its nodes names those before", () => {
    const model = parseGraphBeginning(bundled.subarray(0, 5000));
    const all = parseModel(bundled).graph?.node ?? [];
    const some = model?.graph?.node ?? [];
    expect(some.length).toBeGreaterThan(5);
    expect(some).toEqual(all.slice(0, some.length));
  });

  test("of nothing, or of another file, says nothing or that it is none", () => {
    expect(parseGraphBeginning(new Uint8Array())).toBeNull();
    expect(parseGraphBeginning(new TextEncoder().encode("<!doctype html><p>Please log in."))).toBeNull();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(nodeBytes), (bytes, at) => {
        const hostile = Uint8Array.from(bundled.subarray(0, nodeBytes));
        hostile.set(bytes.subarray(0, nodeBytes - at), at);
        for (const each of [bytes, hostile]) {
          try {
            parseGraphBeginning(each);
          } catch (cause) {
            expect(cause).toBeInstanceOf(OnnxFormatError);
          }
        }
      }),
    );
  });

  test.skipIf(exportedGraphs().length === 0)(
    "of every exported graph names all nodes within half a megabyte",
    () => {
      for (const { folder, file } of exportedGraphs()) {
        const bytes = readFileSync(`${folder}/${file}`);
        const model = parseGraphBeginning(bytes.subarray(0, 500_000));
        expect(model?.graph?.node, file).toHaveLength(parseModel(bytes).graph?.node.length ?? 0);
      }
    },
  );
});
