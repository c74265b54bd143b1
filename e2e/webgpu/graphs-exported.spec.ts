/** The exporters' graphs on WebGPU. */
import { expect, test } from "@playwright/test";
import type { GraphAddress } from "./graph-files.ts";
import { exported, isFloat16 } from "./graphs.ts";
import { onEnginePage } from "./on-engine-page.ts";
import { checksOf, isFloat32, testGraph, testReferenceTokens } from "./test-graph.ts";

const asking = onEnginePage();

/**
 * Graphs with a growing cache have the same kernels, whatever the family, and many: on software WebGPU each takes a minute. All of
 * them are in `npm run bench -- decode --only graphs`.
 */
const otherGrowing = /(?<!tiny-llama)\/model_concat/;
const supported = exported.filter((graph) => !isFloat16(graph) && !otherGrowing.test(graph.name));
if (exported.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS", () => {});

for (const graph of supported) testGraph(graph, asking);

/** A graph of each kind: a cache that grows, states and norms that only WebGPU has. */
const throughLibrary = /tiny-llama\/model_concat|tiny-lfm2\/model_q4_gpu/;

for (const graph of supported.filter(({ name }) => throughLibrary.test(name))) {
  const { name } = graph;
  const address: GraphAddress = { ...graph.address, throughLibrary: true };

  test(`${name} through @huggingface/transformers: conformance on WebGPU`, async () => {
    const results = await asking((page) =>
      page.evaluate((a) => window.engine.conformance(a, ["cuts", "context"], { tolerance: 1e-3 }), address),
    );
    expect(results).toHaveLength(checksOf(["cuts", "context"]));
    expect(results.filter(({ failure }) => failure !== null)).toEqual([]);
  });

  if (isFloat32(graph)) {
    const title = `${name} through @huggingface/transformers: the reference's tokens`;
    testReferenceTokens(title, graph, asking, address);
  }
}

test("nothing was asked of another origin", async () => {
  expect(await asking((page) => page.evaluate(() => window.engine.foreignRequests()))).toEqual([]);
});
