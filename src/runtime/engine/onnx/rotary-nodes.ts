/**
 * The nodes by which a graph computes the angles of its rotary embedding, and their sines and cosines. Graphs that nothing has
 * fused compute them at every pass. On a GPU they come out wrong: WGSL promises the sine of an angle between −π and π alone
 * (https://www.w3.org/TR/WGSL/#concrete-float-accuracy), and the angle of a token is its place in the text.
 */
import type { Graph, Node } from "./model.ts";

/** Names of `Cos` and `Sin` nodes, and of the nodes that they take their angles from. */
export function rotaryNodes({ node }: Graph): string[] {
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
