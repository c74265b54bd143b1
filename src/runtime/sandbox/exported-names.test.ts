import { expect, test } from "vitest";
import { compileSource } from "./compile.ts";

test.each<[string, string, readonly string[]]>([
  ["no export", "const a = 1;", []],
  ["the default", "export default mod({});", ["default"]],
  [
    "in their order, the default first",
    "export const b = mod({});\nexport default mod({});\nexport let a = b;",
    ["default", "b", "a"],
  ],
  ["several of one statement", "export const a = mod({ f: [1, 2] }), b = mod({});", ["a", "b"]],
  ["none of the statement after it", "export const a = mod({})\nlet b, c", ["a"]],
  [
    "a list, with other names",
    "const a = 1, b = 2;\nexport { a, b as c, b as default };",
    ["default", "a", "c"],
  ],
  ["from a module", 'export { mod as a, choices } from "midtoken/mod";', ["a", "choices"]],
  [
    "no functions and classes, which are no mods",
    "export function a() {}\nexport async function b() {}\nexport class C {}\nexport abstract class D {}",
    [],
  ],
  ["but a default function is said to be there", "export default function a() {}", ["default"]],
  [
    "no types",
    "export type T = 1;\nexport interface I {}\nexport type { U } from 'x';\nexport { type V, a };",
    ["a"],
  ],
  [
    "nothing in strings, comments and members",
    'const s = "export const a = 1"; // export const b = 1\nx.export;\n',
    [],
  ],
  ["a name with a type", "export const a: Mod = mod({});", ["a"]],
  ["names of other scripts", "export const größe = mod({});", ["größe"]],
  ["no patterns", "export const { a, b } = both;", []],
  ["what does not parse has none", "export const = {{", []],
])("%s", (_what, source, names) => {
  expect(compileSource(source).exports).toEqual(names);
});
