/**
 * Schemas, patterns and grammars that ask for much work: 200 inputs in families. Each is refused when its strategy is made,
 * or can be written to its end.
 */
import { grammar } from "../strategies/grammar.ts";
import { jsonSchema } from "../strategies/json-schema.ts";
import { regex } from "../strategies/regex.ts";
import type { Strategy } from "../strategy.ts";
import { count, type Family } from "./hostile-families.ts";
import { hostileObjects } from "./hostile-objects.ts";
import { hostileNesting, hostileStrings, hostileValues } from "./hostile-schemas.ts";

export interface HostileInput {
  readonly name: string;
  /** @throws StrategyError or ConstraintLimitError */
  readonly make: () => Strategy;
}

const patterns: readonly Family<string>[] = [
  ["a character far from the end", [12, 20, 40, 200], (size) => `^.*a.{${size}}$`],
  ["two distances", [12, 40, 200], (size) => `a.{${size}}b.{${size}}c`],
  ["loops in loops", [3, 50], (size) => `^${"(".repeat(size)}a+${")+".repeat(size)}b$`],
  ["optional and required", [60, 500], (size) => `^${"a?".repeat(size)}${"a".repeat(size)}$`],
  ["counts in counts", [10, 30, 300], (size) => `^((a|ab|b){0,${size}}c?){0,${size}}$`],
  [
    "words",
    [500, 3000],
    (size) =>
      `^(${count(size)
        .map((index) => `w${index * 7}`)
        .join("|")})$`,
  ],
  ["letters of Unicode", [100, 2000], (size) => `^(?:\\p{L}|\\p{N}){1,${size}}$`],
  ["word boundaries", [10, 50, 99], (size) => `^(?:\\b\\w+\\b\\W?){1,${size}}$`],
  [
    "look-ahead",
    [5, 15, 40],
    (size) =>
      `^${count(size)
        .map((index) => `(?!.*${String.fromCharCode(97 + (index % 26))}.{3}${index})`)
        .join("")}.+$`,
  ],
  ["look-ahead far from the end", [10, 25], (size) => `^(?=.*a.{${size}}$)(?=.*b.{${size}}$).*$`],
  ["a long text", [1000, 15_000, 30_000], (size) => `^${"abc".repeat(size / 3)}$`],
  ["groups", [90, 5000], (size) => "(".repeat(size) + ")".repeat(size)],
];

const chain = (size: number) =>
  count(size)
    .map((index) => {
      const name = index === 0 ? "root" : `r${index}`;
      return index === size - 1 ? `r${index} ::= "a"` : `${name} ::= r${index + 1} | "b" r1`;
    })
    .join("\n");

const grammars: readonly Family<string>[] = [
  ["a loop over an ambiguous rule", [1], () => 'root ::= ("" | root root)* "x"'],
  ["all splits", [2, 4], (size) => `root ::= ${"root ".repeat(size)} | root root | "a"`],
  ["sums", [1], () => 'root ::= root "a" root | "a" | root root'],
  ["brackets that may be read two ways", [1], () => 'root ::= "a" root "a" | "a" root | "a"'],
  [
    "palindromes",
    [2, 20],
    (size) =>
      `root ::= ${count(size)
        .map((index) => `"${String.fromCharCode(97 + index)}" root "${String.fromCharCode(97 + index)}"`)
        .join(" | ")} | ""`,
  ],
  ["rules at the front of one another", [150, 2000], chain],
  [
    "a ring at the left",
    [10, 300],
    (size) =>
      `root ::= r0\n${count(size)
        .map((index) => `r${index} ::= r${(index + 1) % size} "${"ab"[index % 2]}" | "c"`)
        .join("\n")}`,
  ],
  ["counts", [1000, 1_000_000], (size) => `root ::= ("a"{0,${size}} "b"){${size}}`],
  ["groups", [150, 50_000], (size) => `root ::= ${"(".repeat(size)}"a"${")".repeat(size)}`],
  [
    "doubled rules",
    [10, 30, 100],
    (size) =>
      `root ::= r${size}\nr0 ::= "a" | ""\n${count(size)
        .map((index) => `r${index + 1} ::= r${index} r${index}`)
        .join("\n")}`,
  ],
  ["a distance", [12, 40, 200], (size) => `root ::= [a-z]* "a" [a-z]{${size}} "."`],
  [
    "rules at the right that begin each other",
    [1],
    () => 'root ::= a b | "x"\na ::= root b | "x"\nb ::= a root | "x"',
  ],
];

const expand = <Made>(
  kind: string,
  families: readonly Family<Made>[],
  make: (made: Made) => Strategy,
): HostileInput[] =>
  families.flatMap(([name, sizes, of]) =>
    sizes.map((size) => ({ name: `${kind}, ${name}: ${size}`, make: () => make(of(size)) })),
  );

export const hostileInputs: readonly HostileInput[] = [
  ...expand("schema", [...hostileObjects, ...hostileNesting, ...hostileValues, ...hostileStrings], (schema) =>
    jsonSchema(schema),
  ),
  ...expand("pattern", patterns, (pattern) => jsonSchema({ type: "string", pattern })),
  ...expand(
    "regular expression",
    patterns.filter(([name]) => !name.startsWith("look-ahead")),
    (source) => regex(source as never),
  ),
  ...expand("grammar", grammars, (text) => grammar(text)),
];
