/**
 * Comments in a mod's source that name a source map or a file: developer tools fetch the file that a script's last such
 * comment names. Here V8 reports which one it used; e2e/page/firefox.spec.ts checks Firefox.
 */
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { compileMod } from "./compile.ts";
import type { CompiledMod } from "./compiled-mod.ts";
import { hostileComments } from "./testing/hostile-comments.ts";

const noMap = "data:application/json,{}";

function compiled(source: string, name: string): CompiledMod {
  const result = compileMod(source, name);
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result;
}

test.each(hostileComments)("%s: the source map that V8 takes is empty", (_, source) => {
  expect(new Script(compiled(source, "my mod").code).sourceMapURL).toBe(noMap);
});

test("without our own comments V8 would take theirs", () => {
  const taken = hostileComments.map(([, source]) => {
    const { code } = compiled(source, "my mod");
    return new Script(code.slice(0, code.lastIndexOf("});") + 3)).sourceMapURL;
  });
  expect(taken.filter((address) => address?.includes("evil.example")).length).toBeGreaterThan(3);
});

test.each([
  ["evil\n//# sourceMappingURL=http://evil.example/x", "evil-sourceMappingURL-http-evil-example-x.ts"],
  ["\u2028//# sourceURL=x", "-sourceURL-x.ts"],
  ["a\u202eb", "a-b.ts"],
  ["*/ evil() /*", "-evil-.ts"],
  ["a/b\\c", "a-b-c.ts"],
  ["\ud800", "-.ts"],
  ["", "mod.ts"],
])("a mod called %j adds no comment of its own", (name, label) => {
  const { code, about } = compiled("export const a = 1;", name);
  expect(about.label).toBe(label);
  expect(code.endsWith(`\n//# sourceMappingURL=${noMap}\n//# sourceURL=${label}\n`)).toBe(true);
  expect(new Script(code).sourceMapURL).toBe(noMap);
});
