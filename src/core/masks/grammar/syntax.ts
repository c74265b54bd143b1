/** The parsed form of a grammar. */
import { type CodePoints, codePoints, invertCodePoints, subtractCodePoints } from "../regex/code-points.ts";

export type GbnfNode =
  | { readonly kind: "text"; readonly text: string }
  /** One character of the set, which holds no surrogates. */
  | { readonly kind: "characters"; readonly set: CodePoints }
  | { readonly kind: "reference"; readonly rule: string; readonly at: number }
  /** The parts one after the other; the empty text if there are no parts. */
  | { readonly kind: "sequence"; readonly parts: readonly GbnfNode[] }
  | { readonly kind: "alternatives"; readonly parts: readonly GbnfNode[] }
  | { readonly kind: "repeat"; readonly body: GbnfNode; readonly min: number; readonly max: number };

export interface Rule {
  readonly name: string;
  readonly body: GbnfNode;
  /** Offset of the name in the grammar's text. */
  readonly at: number;
}

export type Grammar = ReadonlyMap<string, Rule>;

export const emptyText: GbnfNode = { kind: "sequence", parts: [] };

/** The nodes of which a node is made. */
export function partsOf(node: GbnfNode): readonly GbnfNode[] {
  if (node.kind === "repeat") return [node.body];
  return "parts" in node ? node.parts : [];
}

export function sequenceOf(...parts: readonly GbnfNode[]): GbnfNode {
  const flat = parts.flatMap((part) => (part.kind === "sequence" ? part.parts : [part]));
  return flat.length === 1 ? (flat[0] as GbnfNode) : { kind: "sequence", parts: flat };
}

export function alternativesOf(...parts: readonly GbnfNode[]): GbnfNode {
  return parts.length === 1 ? (parts[0] as GbnfNode) : { kind: "alternatives", parts };
}

const surrogates = codePoints([0xd800, 0xdfff]);

/** One character in (or, when `negated`, outside) the ranges. */
export function charactersOf(ranges: readonly (readonly [number, number])[], negated: boolean): GbnfNode {
  const written = codePoints(...ranges);
  const set = subtractCodePoints(negated ? invertCodePoints(written) : written, surrogates);
  return { kind: "characters", set };
}
