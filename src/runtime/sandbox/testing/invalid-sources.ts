// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are sources of mods.
/** Random sources that no author would write: deep, long or strange ones. The same seed gives the same source. */
import { uniformRandom } from "../../../core/base/random.ts";

/** The texts that open and close a level of nesting, and the text in the middle. */
const nests: readonly (readonly [open: string, close: string, middle: string])[] = [
  ["<T>(", ")", "a.noop()"],
  ["(a=", ")=>1", "1"],
  ["(", ")", "1"],
  ["[", "]", ""],
  ["{a:", "}", "1"],
  ["f<", ">(1)", "T"],
  ["a?(b", "):c", ""],
  ["a?(b):(c", ")=>d:e", ""],
  ["async(", ")", "1"],
  ["async<T>(", ")", "1"],
  ["`${", "}`", "1"],
  ["x=>", "", "x"],
  ["!", "", "1"],
  ["new ", "", "A"],
  ["function(){return ", "}", "1"],
  ["class{a=", "}", "1"],
  ["await(", ")", "1"],
  ["1+", "", "1"],
  ["a<", "", "1"],
  ["a.", "", "b"],
];

const units: readonly string[] = [
  ...[
    "x=>x,",
    "a,",
    "1+",
    "{},",
    "[],",
    "f(),",
    "/a/,",
    "'s',",
    "`t`,",
    "`${1}`,",
    "(1),",
    "...a,",
    "\n",
    " ",
  ],
  ...[
    "//c\n",
    "/**/",
    "let a=1;",
    "var x: number = 1 as number;\n",
    "if(a);else ",
    "enum A {a}\n",
    "\\",
    "\u2028",
  ],
  ...[
    "import {mod} from 'midtoken/mod';\n",
    "import 'x';\n",
    "import {a} from 'midtoken/mod';\n",
    "export {};\n",
  ],
  ...[
    "function f<T>(a: T): T { return a; }\n",
    "class A { m(a?: number): void {} }\n",
    "declare const x: 1;\n",
  ],
  ...[
    "await (1),",
    "await:",
    "import (a),",
    "x<!--y;\n",
    "\n-->",
    "type A<T> = T extends infer U ? U : never;\n",
  ],
];

const wrappers: readonly (readonly [string, string])[] = [
  ["", ""],
  ["export default [", "];"],
  ["f(", ");"],
  ["const a = {", "};"],
  ["const f = async () => [", "];"],
  ["class A {", "}"],
  ["/*", "*/"],
  ["`", "`"],
  ["type A = [", "];"],
];

const fragments: readonly string[] = [
  ...[
    "import",
    "export",
    "default",
    "from",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "=>",
    "=",
    ":",
    ";",
    ",",
    ".",
  ],
  ...[
    "?",
    "?.",
    "!",
    "...",
    "`",
    "${",
    "'",
    '"',
    "/",
    "*",
    "/*",
    "*/",
    "//",
    "\n",
    "-->",
    "<!--",
    "await",
    "async",
  ],
  ...[
    "function",
    "class",
    "extends",
    "const",
    "let",
    "var",
    "type",
    "interface",
    "enum",
    "declare",
    "namespace",
  ],
  ...[
    "as",
    "satisfies",
    "infer",
    "keyof",
    "mod",
    "a",
    "b",
    "1",
    "0x",
    "1n",
    "\\u0061",
    "#a",
    "@",
    "&&",
    "??=",
    "**",
  ],
  ..."\u0000\u2028\u200b\ud800\u{1f600}é".split(/(?:)/u),
];

export type InvalidKind = "deep" | "long" | "odd";

/** A source of at most `largest` UTF-16 units. The parser's time grows with the depth, so deep sources are short. */
export function invalidSource(seed: number, kind: InvalidKind, largest: number): string {
  let draws = 0;
  const random = (): number => uniformRandom(seed, draws++);
  const upTo = (most: number): number => Math.floor(random() * most);
  const one = <Item>(items: readonly Item[]): Item => items[upTo(items.length)] as Item;
  const [before, after] = one(wrappers);
  if (kind === "odd") {
    return Array.from(
      { length: upTo(Math.min(largest / 10, 400)) },
      () => one(fragments) + one(["", " "]),
    ).join("");
  }
  if (kind === "long") {
    const unit = one(units) + (upTo(3) === 0 ? one(units) : "");
    const count = Math.floor((random() * (largest - before.length - after.length)) / unit.length);
    return before + unit.repeat(Math.max(count, 0)) + after;
  }
  const [open, close, middle] = one(nests);
  const most = (largest - before.length - after.length - middle.length) / (open.length + close.length);
  const depth = Math.floor(Math.min(most, one([8, 40, 400, 40_000]) * random()));
  return before + open.repeat(depth) + middle + close.repeat(depth) + after;
}
