/** A parsed regular expression. Case, classes and escapes are resolved: only sets of code points are left. */
import type { CodePoints } from "./code-points.ts";

export type RegexNode =
  /** The empty text. */
  | { readonly kind: "empty" }
  /** One code point of the set. A node with the empty set matches nothing. */
  | { readonly kind: "set"; readonly set: CodePoints }
  | { readonly kind: "sequence"; readonly items: readonly RegexNode[] }
  | { readonly kind: "alternation"; readonly items: readonly RegexNode[] }
  /** `max` may be Infinity. */
  | { readonly kind: "repeat"; readonly body: RegexNode; readonly min: number; readonly max: number }
  /** `^`: true only at the very start of the text. */
  | { readonly kind: "start" }
  /** `$`: true only at its very end. */
  | { readonly kind: "end" }
  /** `\b`, or `\B` where `isBoundary` is false. */
  | { readonly kind: "boundary"; readonly isBoundary: boolean; readonly word: CodePoints };

export const emptyNode: RegexNode = { kind: "empty" };

type PlaceNode = Extract<RegexNode, { readonly kind: "start" | "end" | "boundary" }>;

/** Whether the node depends on the characters around it: it contains `^`, `$`, `\b` or `\B`. */
export function hasAnchor(node: RegexNode): boolean {
  return placesIn(node).length > 0;
}

/** The first word boundary in the node, if any. */
export function findBoundary(node: RegexNode): Extract<RegexNode, { kind: "boundary" }> | null {
  return placesIn(node).find((place) => place.kind === "boundary") ?? null;
}

function placesIn(node: RegexNode): PlaceNode[] {
  switch (node.kind) {
    case "start":
    case "end":
    case "boundary":
      return [node];
    case "sequence":
    case "alternation":
      return node.items.flatMap(placesIn);
    case "repeat":
      return placesIn(node.body);
    default:
      return [];
  }
}

/** Whether the node matches the empty text at every place. An anchor does not, because it needs a certain place. */
export function isFreelyNullable(node: RegexNode): boolean {
  switch (node.kind) {
    case "empty":
      return true;
    case "sequence":
      return node.items.every(isFreelyNullable);
    case "alternation":
      return node.items.some(isFreelyNullable);
    case "repeat":
      return node.min === 0 || isFreelyNullable(node.body);
    default:
      return false;
  }
}

/** The number of code points in every text that the node matches; null if texts of several lengths may match. */
export function fixedLength(node: RegexNode): number | null {
  switch (node.kind) {
    case "set":
      return 1;
    case "sequence":
      return node.items.reduce<number | null>((sum, item) => {
        const length = fixedLength(item);
        return sum === null || length === null ? null : sum + length;
      }, 0);
    case "alternation": {
      const [first, ...others] = node.items.map(fixedLength);
      return first !== undefined && others.every((other) => other === first) ? first : null;
    }
    case "repeat": {
      const length = fixedLength(node.body);
      return length === null || node.min !== node.max ? null : length * node.min;
    }
    default:
      return 0;
  }
}

/**
 * The number of sets and anchors in the node after its counted repetitions are written out: `[ab]{3}` has 3. The open end of a
 * repetition counts once: `a*` has 1, `a{3,}` has 4.
 */
export function writtenOutSize(node: RegexNode): number {
  switch (node.kind) {
    case "sequence":
    case "alternation":
      return node.items.reduce((sum, item) => sum + writtenOutSize(item), 0);
    case "repeat": {
      const times = Number.isFinite(node.max) ? node.max : node.min + 1;
      return times * writtenOutSize(node.body);
    }
    default:
      return 1;
  }
}
