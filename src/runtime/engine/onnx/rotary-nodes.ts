/**
 * Finds the nodes that compute the angles of rotary embeddings, and their sines and cosines. Graphs without fused operators
 * compute them in every pass, and a GPU computes them wrong: an angle grows with the token's position, but WGSL guarantees
 * the sine only between −π and π (https://www.w3.org/TR/WGSL/#concrete-float-accuracy).
 */
import type { Graph, Node } from "./model.ts";

/** Names of the `Cos` and `Sin` nodes, and of the nodes that compute their angles. */
export function findRotaryNodes({ node }: Graph): string[] {
  const producers = new Map<string, Node>();
  for (const each of node) for (const output of each.output) producers.set(output, each);
  const found = new Set<Node>();
  const open = node.filter(({ operator }) => operator === "Cos" || operator === "Sin");
  for (let next = open.pop(); next; next = open.pop()) {
    // The CPU already computes shapes; the tensors themselves should stay on the device.
    if (found.has(next) || next.operator === "Shape") continue;
    found.add(next);
    for (const input of next.input) {
      const producer = producers.get(input);
      if (producer) open.push(producer);
    }
  }
  return Array.from(found, ({ name = "" }) => name).filter((name) => name !== "");
}
