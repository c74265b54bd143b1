/** `mods.json` in the folder of `--mods`: each mod's limits, and a sentence with the path of each mistake. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { startFakeStoryServer } from "../testing/fake-story.ts";
import { makeReadOnly } from "../testing/read-only-folder.ts";
import { type ServingGateway, serveGateway } from "../testing/serve-gateway.ts";
import { bundledModel, runMidtoken } from "../testing/test-terminal.ts";
import { readModsFolder } from "./mod-settings.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

const empty = `import { mod } from "midtoken/mod";\nexport default mod({});\n`;

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-mods-"));
  undo.push(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const withSettings = (settings: unknown): string =>
  folderOf({
    "count.ts": empty,
    "swap-name.ts": empty,
    "mods.json": typeof settings === "string" ? settings : JSON.stringify(settings),
  });

async function settingsOf(settings: unknown, isAllowedTrust = false) {
  const folder = withSettings(settings);
  const found = await readModsFolder(folder, isAllowedTrust);
  return found.map(({ path, ...each }) => ({ file: path.slice(folder.length + 1), ...each }));
}

test("a mod's own fields replace those of all mods, deadline by deadline", async () => {
  const settings = {
    "*": { deadlines: { event: 500, load: 3_000 }, memoryMiB: 64 },
    "count.ts": { deadlines: { event: 2_000 }, memoryMiB: 32 },
  };
  expect(await settingsOf(settings)).toEqual([
    {
      file: "count.ts",
      isTrusted: false,
      limits: { deadlines: { event: 2_000, load: 3_000 }, memory: 32 * 2 ** 20 },
    },
    {
      file: "swap-name.ts",
      isTrusted: false,
      limits: { deadlines: { event: 500, load: 3_000 }, memory: 64 * 2 ** 20 },
    },
  ]);
});

test("with --trusted-mods the file says which mods stay in sandboxes", async () => {
  const trust = async (settings: unknown) =>
    (await settingsOf(settings, true)).map(({ isTrusted, limits }) => [isTrusted, limits?.memory ?? null]);
  const kept = 64 * 2 ** 20;
  expect(await trust({})).toEqual([
    [true, null],
    [true, null],
  ]);
  expect(await trust({ "count.ts": { trusted: false, memoryMiB: 64 } })).toEqual([
    [false, kept],
    [true, null],
  ]);
  expect(await trust({ "*": { trusted: false, memoryMiB: 64 }, "count.ts": { trusted: true } })).toEqual([
    [true, null],
    [false, kept],
  ]);
});

describe("a mistake is refused with its path", () => {
  test.each<[string, unknown, RegExp]>([
    ["no JSON", "{", /mods\.json is not JSON: /],
    ["a list", [], /mods\.json is \[\]: give an object\./],
    [
      "a mod that is not there",
      { "cuont.ts": {} },
      /"cuont\.ts" is not a mod file in this folder\. Did you mean "count\.ts"\?/,
    ],
    ["a name without its ending", { count: {} }, /"count" is not a mod file.*Did you mean "count\.ts"/],
    [
      "an unknown key",
      { "count.ts": { memoryMB: 64 } },
      /mods\.json: count\.ts\.memoryMB is not known\. Did you mean "memoryMiB"\?/,
    ],
    [
      "an unknown deadline",
      { "*": { deadlines: { events: 1 } } },
      /\*\.deadlines\.events is not known\. Did you mean "event"\?/,
    ],
    [
      "a number as a text",
      { "count.ts": { memoryMiB: "64" } },
      /count\.ts\.memoryMiB is "64": give a whole number from 20 to 1024\./,
    ],
    ["too much memory", { "count.ts": { memoryMiB: 4_096 } }, /count\.ts\.memoryMiB is 4096: give/],
    [
      "no deadline",
      { "count.ts": { deadlines: { event: 0 } } },
      /count\.ts\.deadlines\.event is 0: give a whole number from 1 to 600000\./,
    ],
    [
      "deadlines as a number",
      { "count.ts": { deadlines: 5 } },
      /count\.ts\.deadlines is 5: give an object\./,
    ],
    [
      "trust as a text",
      { "count.ts": { trusted: "yes" } },
      /count\.ts\.trusted is "yes": give true or false\./,
    ],
    [
      "trust that the command line does not give",
      { "count.ts": { trusted: true } },
      /count\.ts has "trusted": true, but mods may run without a sandbox only with --trusted-mods/,
    ],
    ["a name of an object's parent", `{"__proto__": {}}`, /"__proto__" is not a mod file/],
  ])("%s", async (_, settings, message) => {
    await expect(settingsOf(settings)).rejects.toThrow(message);
  });

  test.each<[string, unknown]>([
    ["of the mod", { "count.ts": { memoryMiB: 64 } }],
    ["of all mods", { "*": { memoryMiB: 64 } }],
    ["of a mod that says that it is trusted", { "count.ts": { trusted: true, memoryMiB: 64 } }],
  ])("a memory limit %s that runs without a sandbox", async (_, settings) => {
    await expect(settingsOf(settings, true)).rejects.toThrow(
      /has a memory limit of 64 MiB, but runs without a sandbox/,
    );
  });
});

const endless = `import { mod } from "midtoken/mod";
export default mod({ forwardPass() { for (;;); } });
`;
const hungry = `import { mod } from "midtoken/mod";
const kept: Uint8Array[] = [];
export default mod({
  forwardPass(event, actions) {
    if (event.step > 0) return undefined;
    try {
      while (kept.length < 400) kept.push(new Uint8Array(2 ** 20).fill(1));
    } catch {}
    const got = kept.length;
    kept.length = 0;
    return actions.forceTokens(got < 40 ? " few" : " many");
  },
});
`;
const where = `import { mod } from "midtoken/mod";
export default mod({
  forwardPass: (event, actions) => (event.step > 0 ? undefined : actions.forceTokens(\` [\${typeof process}]\`)),
});
`;

describe("a gateway before a folder of mods that nobody may write to", () => {
  const serve = async (...words: readonly string[]): Promise<ServingGateway> => {
    const fake = await startFakeStoryServer({ slots: 4 });
    undo.push(() => fake.close());
    const settings = {
      // Filling the memory takes longer than the default deadline on a busy machine.
      "*": { trusted: false, memoryMiB: 256, deadlines: { load: 60_000, event: 60_000 } },
      "endless.ts": { deadlines: { event: 150 } },
      "modest.ts": { memoryMiB: 48 },
      "own.ts": { trusted: true },
    };
    const files = {
      "endless.ts": endless,
      "modest.ts": hungry,
      "hungry.ts": hungry,
      "own.ts": where,
      "other.ts": where,
    };
    const folder = folderOf({ ...files, "mods.json": JSON.stringify(settings) });
    const writable = makeReadOnly(folder);
    if (writable) undo.push(writable);
    const gateway = await serveGateway([fake.url], ["--mods", folder, ...words]);
    undo.push(() => gateway.stop());
    return gateway;
  };
  const ask = async ({ client }: ServingGateway, mod: string) => {
    const request = { model: `stories260k/${mod}`, prompt: "Once", max_tokens: 12, temperature: 0 };
    return (await client.completions.create(request)).choices[0]?.text ?? "";
  };

  test("each mod has its deadlines, its memory and its place", async () => {
    const gateway = await serve("--trusted-mods");
    await expect(ask(gateway, "endless")).rejects.toThrow(/did not reply to .forwardPass. within 150 ms/);
    expect(await ask(gateway, "modest")).toContain(" few");
    expect(await ask(gateway, "hungry")).toContain(" many");
    expect(await ask(gateway, "own")).toContain("[object]");
    expect(await ask(gateway, "other")).toContain("[undefined]");
  });

  test("a mistake ends the start before a model is loaded", async () => {
    const folder = withSettings({ "count.ts": { memoryMB: 64 } });
    const words = ["serve", "--model", bundledModel, "--port", "0", "--mods", folder];
    const { code, errors } = await runMidtoken(words);
    expect(code).toBe(2);
    expect(errors).toContain(`${join(folder, "mods.json")}: count.ts.memoryMB is not known.`);
  });
});
