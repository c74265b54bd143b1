/** The registry refuses files without the mod to run, and too many mods. */
import { describe, expect, test } from "vitest";
import { measureRetainedMemory, megabyte } from "../../core/base/testing/retained-memory.ts";
import type { ModPayload } from "../../core/sdk/serialize.ts";
import { compileSource } from "../../runtime/sandbox/compile.ts";
import { type ModCompiler, ModRegistry } from "./mod-registry.ts";
import { checkModFitsLimits, registryLimits } from "./registry-limits.ts";

const compiler: ModCompiler = {
  async compileProblems(source) {
    const result = compileSource(source);
    return result.ok ? [] : result.problems;
  },
  exportedNames: async (source) => compileSource(source).exports,
  removesText: async () => false,
};
const registry = () => new ModRegistry(() => compiler);
const start = 'import { mod } from "midtoken/mod";\n';

describe("what the file exports", () => {
  test.each([
    ["export default mod({});", undefined],
    ["const a = mod({});\nexport default a;", undefined],
    ["const a = mod({});\nexport { a as default };", undefined],
    ["export const shout = mod({});", "shout"],
    ["const a = mod({});\nexport { a as shout };", "shout"],
  ])("%j runs", async (source, entry) => {
    const payload = await registry().register({ name: "a", source: start + source, ...(entry && { entry }) });
    expect(payload.entry).toBe(entry ?? "default");
  });

  test.each([
    ["mod({});", undefined, "has no default export. Write: export default mod({ … })."],
    ["export const shout = mod({});", undefined, "It exports shout: name one as entry."],
    ["export default mod({});", "shout", 'exports no mod "shout". Write: export const shout = mod({ … }).'],
    ["export const shout = mod({});", "constructor", 'exports no mod "constructor"'],
    ["const source = 'export default 1';", undefined, "has no default export"],
    ["// export default mod({});", undefined, "has no default export"],
    ["export type shout = string;", undefined, "has no default export"],
  ])("%j is refused", async (source, entry, words) => {
    const mods = registry();
    const refused = mods.register({ name: "a", source: start + source, ...(entry && { entry }) });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      code: "mod_not_exported",
      message: expect.stringContaining(words) as string,
    });
    expect(mods.list()).toEqual([]);
  });
});

test("null means that a field was not given, as in OpenAI's calls", async () => {
  const file = { name: "a", source: `${start}export default mod({});`, description: null, entry: null };
  expect(await registry().register(file as never)).toMatchObject({ entry: "default", description: "" });
});

describe("room", () => {
  const source = `${start}export default mod({});`;
  const payload = (fields: Partial<ModPayload>): ModPayload => ({
    name: "a",
    description: "",
    language: "typescript",
    source,
    entry: "default",
    sdkVersion: "1.0.0",
    hash: "",
    ...fields,
  });

  test.each([
    ["source", registryLimits.source],
    ["description", registryLimits.description],
    ["name", registryLimits.name],
    ["entry", registryLimits.name],
    ["sdkVersion", registryLimits.name],
  ] as const)("a %s of more than %i characters is refused", (field, most) => {
    expect(() => checkModFitsLimits(payload({ [field]: "a".repeat(most) }), [])).not.toThrow();
    expect(() => checkModFitsLimits(payload({ [field]: "a".repeat(most + 1) }), [])).toThrow(
      expect.objectContaining({ status: 413, code: "mods_too_large", param: field }) as Error,
    );
  });

  test("a hundred mods are kept, and the next is told what to delete; a name again replaces its mod", async () => {
    const mods = registry();
    const register = (name: string) => mods.register({ name, source });
    // All at once: each was checked before the others were registered.
    const all = await Promise.allSettled(Array.from({ length: 130 }, (_, index) => register(`mod-${index}`)));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(100);
    await expect(register("more")).rejects.toMatchObject({
      status: 400,
      code: "too_many_mods",
      message: expect.stringMatching(/100 mods .* DELETE \/v1\/mods\/NAME .* mod-0, mod-1, mod-2/) as string,
    });
    await register("mod-0");
    mods.remove("mod-5");
    await register("more");
    expect(mods.list()).toHaveLength(100);
  });

  test("60 mods of 7 MB are refused, and of the largest allowed ones only 16 million characters are kept", async () => {
    // This test is about memory, so it omits the real compiler, which takes a second for a million characters.
    const mods = new ModRegistry(() => ({
      ...compiler,
      compileProblems: async () => [],
      exportedNames: async () => ["default"],
    }));
    const flood = (count: number, units: number, description = "") =>
      Promise.allSettled(
        Array.from({ length: count }, (_, index) =>
          mods.register({ name: `flood-${index}`, source: source + " ".repeat(units), description }),
        ),
      );
    await flood(60, 7_000_000);
    await flood(60, 0, "a".repeat(7_000_000));
    expect(mods.list()).toEqual([]);
    const results = await flood(20, registryLimits.source - source.length);
    expect(mods.list()).toHaveLength(15);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: {
        status: 413,
        code: "mods_too_large",
        message: expect.stringContaining("The largest are flood-") as string,
      },
    });
  });
});

test("as many mods as are kept take no more memory than two bytes a character, measured", async () => {
  const { total, source: largest } = registryLimits;
  const { value: mods, bytes } = await measureRetainedMemory(
    async () => {
      const filled = new ModRegistry(() => ({
        compileProblems: async () => [],
        exportedNames: async () => ["default"],
        removesText: async () => false,
      }));
      for (let i = 0; i < 18; i++) {
        const source = `// ${i}${"€".repeat(largest - 10)}`;
        await filled.register({ name: `mod${i}`, source }).catch(() => undefined);
      }
      return filled;
    },
    2 * total + 2 * megabyte,
  );
  expect(mods.list().length).toBeGreaterThan(10);
  expect(bytes).toBeLessThan(2 * total + 2 * megabyte);
});
