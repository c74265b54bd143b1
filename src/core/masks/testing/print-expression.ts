/** Expressions as text in the notation of regular expressions, for documents and tests. Example: `[0-9]?\}`. */
import type { Automaton } from "../automaton/automaton.ts";
import { type ByteSet, hasByte } from "../automaton/byte-set.ts";
import type { Expression } from "../automaton/expression.ts";

/** Rules are printed as what they expand to, so the expression must not be recursive. */
export function printExpression({ derivatives }: Automaton, expression: Expression): string {
  const print = (part: Expression): string => {
    switch (part.kind) {
      case "nothing":
        return "∅";
      case "empty":
        return "ε";
      case "bytes":
        return printBytes(part.set);
      case "sequence":
        return print(part.head) + print(part.tail);
      case "union":
        return `(${part.members.map(print).join("|")})`;
      case "repeat":
        return print(part.body) + printCount(part.min, part.max);
      case "rule":
        return print(derivatives.expand(part));
      default:
        throw new Error(`There is no notation for the expression "${part.kind}".`);
    }
  };
  return print(expression);
}

function printCount(min: number, max: number): string {
  if (min === 0 && max === 1) return "?";
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function printBytes(set: ByteSet): string {
  const characters = Array.from({ length: 256 }, (_, byte) => byte)
    .filter((byte) => hasByte(set, byte))
    .map((byte) => String.fromCharCode(byte));
  const [first = ""] = characters;
  if (characters.length === 1) return first.replace(/[[\]{}()|?\\]/, "\\$&");
  const isRange = characters.at(-1)?.charCodeAt(0) === first.charCodeAt(0) + characters.length - 1;
  if (isRange && characters.length > 2) return `[${first}-${characters.at(-1)}]`;
  return `[${characters.join("")}]`;
}
