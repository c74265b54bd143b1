/**
 * Rewrites an embedding that shares its weights with the output matrix and gathers rows of the transposed matrix. The
 * runtime would fold the transposition, and so hold the model's largest weight twice. Gathering columns, and then
 * transposing them, gives the same result.
 */
import { makeNode } from "./make.ts";
import type { Graph, Node } from "./model.ts";
import { integerAttribute } from "./tensor.ts";

/** Whether a value is a large constant matrix, or will become one, so that the rewrite is worth it. */
type IsMatrix = (name: string) => boolean;

/** Rewrites, in place, each Gather of rows of a transposed matrix. Returns how many. */
export function rewriteTransposedGathers(graph: Graph, isMatrix: IsMatrix): number {
  const producers = new Map(graph.node.flatMap((node) => node.output.map((name) => [name, node] as const)));
  const ranks = new Map(
    graph.input.map(({ name, type }) => [name ?? "", type?.tensor?.shape?.dims.length ?? 0]),
  );
  let count = 0;
  graph.node = graph.node.flatMap((node) => {
    const table = matrixBehind(node, producers, isMatrix);
    const [, ids = ""] = node.input;
    // The number of dimensions must be known: ids are (batch, tokens).
    if (table === null || ranks.get(ids) !== 2) return [node];
    count++;
    const [result = ""] = node.output;
    const taken = `${result}_columns`;
    const name = node.name ?? result;
    return [
      makeNode("Gather", [table, ids], [taken], { name, attributes: { axis: 1n } }),
      makeNode("Transpose", [taken], [result], { name: `${name}/Turn`, attributes: { perm: [1n, 2n, 0n] } }),
    ];
  });
  return count;
}

/** The constant matrix whose transposed rows `node` gathers; null if it does not. */
function matrixBehind(node: Node, producers: ReadonlyMap<string, Node>, isMatrix: IsMatrix): string | null {
  if (node.operator !== "Gather" || node.domain || integerAttribute(node, "axis", 0) !== 0) return null;
  const turn = producers.get(node.input[0] ?? "");
  if (turn?.operator !== "Transpose" || turn.domain) return null;
  const order = turn.attribute.find(({ name }) => name === "perm")?.ints.map(Number) ?? [1, 0];
  const [matrix = ""] = turn.input;
  return order.join() === "1,0" && isMatrix(matrix) ? matrix : null;
}
