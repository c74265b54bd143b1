import { expect, test } from "vitest";
import { overviewColumns, overviewMark } from "./overview-columns.ts";
import { createTraceBuilder, requestRecord } from "./testing/trace-builder.ts";
import { createTraceModel } from "./trace-model.ts";

test("a step whose odds were adjusted is marked where another token came out, and only there", () => {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "tilt", source: "" }] }));
  for (const ghost of [null, { token: 2, text: " b" }]) {
    builder.forward({ entropy: 1, top: [] });
    builder.adjust({ entropy: 1, top: [] });
    builder.sample({ token: 1, text: " a" }, { ghost });
    builder.add([{ token: 1, text: " a" }], "sampled");
  }
  const model = createTraceModel();
  model.append(builder.finish("length").records);
  expect([...overviewColumns(model, 100).marks]).toEqual([0, overviewMark.adjusted]);
});
