/** Letters that lead deep into a grammar: a check of its work walks texts of them. */
import type { GbnfNode, Grammar } from "./syntax.ts";

const MOST_LETTERS = 3;

/** The first ASCII characters of the first texts and characters in the grammar. */
export function firstLetters(grammar: Grammar): readonly number[] {
  const found = new Set<number>();
  const collect = (node: GbnfNode): void => {
    if (found.size >= MOST_LETTERS) return;
    const first = firstCharacter(node);
    if (first < 0x80) found.add(first);
    if (node.kind === "repeat") collect(node.body);
    else if ("parts" in node) for (const part of node.parts) collect(part);
  };
  for (const { body } of grammar.values()) collect(body);
  return [...found];
}

/** Infinity for a node that is not itself a text or a character. */
function firstCharacter(node: GbnfNode): number {
  if (node.kind === "text") return node.text.codePointAt(0) ?? Number.POSITIVE_INFINITY;
  if (node.kind === "characters") return node.set[0] ?? Number.POSITIVE_INFINITY;
  return Number.POSITIVE_INFINITY;
}
