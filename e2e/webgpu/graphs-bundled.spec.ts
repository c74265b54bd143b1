/** The bundled model's graphs on WebGPU. The exporters' graphs stand in a file of their own, so that two workers share the time. */
import { expect, test } from "@playwright/test";
import { bundledGraphs } from "./graphs.ts";
import { onEnginePage } from "./on-engine-page.ts";
import { testGraph } from "./test-graph.ts";

const asking = onEnginePage();

test("the bundled model is there", () => {
  expect(bundledGraphs.map(({ name }) => name)).toEqual(["stories260k/model", "stories260k/model_q4"]);
});

for (const graph of bundledGraphs) testGraph(graph, asking);

test("a run through @huggingface/transformers that fails ends its model, and no other of the page", async () => {
  const [bundled] = bundledGraphs;
  if (!bundled) throw new Error("The bundled model is not there.");
  const { failed, after, difference } = await asking((page) =>
    page.evaluate((a) => window.engine.failedLibraryRun(a), bundled.address),
  );
  expect(failed.name).toBe("ModelDeadError");
  expect(after.message).toBe(failed.message);
  expect(difference).toBeLessThan(1e-3);
});

test("nothing was asked of another origin", async () => {
  expect(await asking((page) => page.evaluate(() => window.engine.foreignRequests()))).toEqual([]);
});
