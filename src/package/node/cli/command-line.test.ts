/** The command line as users call it, with the bundled model. scripts/package/package.test.ts runs the built one. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decodeTraceFile } from "../../../core/trace/codec/codec.ts";
import { decodePermalink } from "../../../core/trace/file/permalink.ts";
import { nodeDeadlines } from "../node-session.ts";
import { bundledModel, runMidtoken } from "../testing/test-terminal.ts";
import { runCommandOptions } from "./run-command.ts";
import { samplingOptions } from "./sampling-options.ts";
import { serveCommandOptions } from "./serve-command.ts";
import { testCommandOptions } from "./test-command.ts";
import { watchCommandOptions } from "./watch-command.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

const sourcesBelow = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: "utf8" }).map((each) => join(path, each));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const rename = (hero: string) => `import { mod } from "midtoken/mod";
export default mod({ sampled(event, actions) { if (event.text === " Lily") return actions.forceTokens(" ${hero}"); } });
`;
const renameFile = file("Rename Hero.ts", rename("Max"));
const twoMods = file(
  "two.ts",
  `${rename("Tom")}export const shout = mod({ finished() { console.log("the end"); } });\n`,
);
const failing = file(
  "failing.ts",
  `import { mod } from "midtoken/mod";\nexport default mod({\n  sampled() { throw new Error("no more"); },\n});\n`,
);
const girl = ["--model", bundledModel, "--prompt", "Once upon a time there was a girl", "--temperature", "0"];

describe("run", () => {
  test("writes the text, the timeline and the link", async () => {
    const trace = join(folder, "girl.trace");
    const words = ["run", ...girl, "--mod", renameFile, "--max-tokens", "12", "--trace", trace];
    const pieces: string[] = [];
    const { code, out, errors } = await runMidtoken([...words, "--viewer", "https://example.org/play"], {
      onWrite: (text) => pieces.push(text),
    });
    expect({ code, out }).toEqual({ code: 0, out: " named Max. Max loved to play\n" });
    expect(pieces.length).toBeGreaterThan(6);
    const [, fragment = ""] = /^https:\/\/example\.org\/play(#\S+)\n$/.exec(errors) ?? [];
    const linked = decodePermalink(fragment).trace.records.at(-1);
    expect(linked).toMatchObject({ type: "finished", reason: "length" });
    const { records } = decodeTraceFile(new Uint8Array(readFileSync(trace))).trace;
    expect(records.some((record) => record.type === "modCall" && record.action.type === "forceTokens")).toBe(
      true,
    );
  });

  test("keeps banned texts out, whatever the case of their letters", async () => {
    const words = ["run", ...girl, "--max-tokens", "8", "--no-link"];
    const plain = await runMidtoken(words);
    expect(plain.out).toContain("Lily");
    const banned = await runMidtoken([...words, "--ban", "LILY", "--ban", "loved"]);
    expect(banned.code).toBe(0);
    expect(banned.out).not.toMatch(/lily|loved/i);
  });

  test("--no-heal is the request's setting", async () => {
    const trace = join(folder, "healing.trace");
    const words = ["run", ...girl, "--max-tokens", "2", "--no-link", "--trace", trace];
    const healOf = async (option: readonly string[]) => {
      await runMidtoken([...words, ...option]);
      const [request] = decodeTraceFile(new Uint8Array(readFileSync(trace))).trace.records;
      return request?.type === "request" ? request.heal : null;
    };
    expect(await healOf([])).toBeUndefined();
    expect(await healOf(["--no-heal"])).toBe(false);
  });

  test("--system is a message before the prompt, --stop ends the answer, and --raw goes on with the prompt itself", async () => {
    const trace = join(folder, "asked.trace");
    const requestOf = async (...options: string[]) => {
      const words = ["run", ...girl, "--max-tokens", "8", "--no-link", "--trace", trace, ...options];
      const { code, out } = await runMidtoken(words);
      const [request] = decodeTraceFile(new Uint8Array(readFileSync(trace))).trace.records;
      return { code, out, request };
    };
    const user = { role: "user", content: "Once upon a time there was a girl" };
    expect(await requestOf("--system", "Be brief.", "--stop", "She", "--stop", " Lily")).toMatchObject({
      code: 0,
      request: { messages: [{ role: "system", content: "Be brief." }, user], stop: ["She", " Lily"] },
    });
    const stopped = await requestOf("--stop", "She", "--stop", " Lily");
    expect(stopped).toMatchObject({ code: 0, out: " named\n", request: { messages: [user] } });
    expect(await requestOf("--raw")).toMatchObject({ code: 0, request: { rawPrompt: true } });
    expect(stopped.request).not.toHaveProperty("rawPrompt");
  });

  test("tells a mod's failure with its line, keeps the timeline, and exits with 1", async () => {
    const trace = join(folder, "failed.trace");
    const words = ["run", ...girl, "--mod", failing, "--trace", trace, "--no-link"];
    const { code, errors } = await runMidtoken(words);
    expect(code).toBe(1);
    expect(errors).toContain('The mod "failing" failed in sampled(), step 0, line 3: Error: no more');
    expect(decodeTraceFile(new Uint8Array(readFileSync(trace))).trace.records.at(-1)).toMatchObject({
      reason: "error",
    });
    const goesOn = await runMidtoken([...words, "--on-mod-error", "continue", "--max-tokens", "4"]);
    expect(goesOn).toMatchObject({ code: 0, out: " named Lily. She\n" });
  });

  test("opens the model's layers for a mod that steers", async () => {
    const steering = (scale: number) =>
      file(
        `steer${scale}.ts`,
        `import { mod } from "midtoken/mod";
export default mod({
  layers: [2],
  prefilled: (event, actions) => actions.steer({ layer: 2, vector: new Float32Array(event.hiddenSize).fill(1), scale: ${scale} }),
});
`,
      );
    const answerOf = async (scale: number) => {
      const trace = join(folder, `steer${scale}.trace`);
      const words = ["run", ...girl, "--mod", steering(scale), "--max-tokens", "6", "--no-link"];
      const { code, out } = await runMidtoken([...words, "--trace", trace]);
      const [request] = decodeTraceFile(new Uint8Array(readFileSync(trace))).trace.records;
      return { code, out, model: request?.type === "request" ? request.model : null };
    };
    const layers = { layerCount: 5, hiddenSize: 64 };
    expect(await answerOf(0)).toMatchObject({ code: 0, out: " named Lily. She loved\n", model: { layers } });
    const steered = await answerOf(3);
    expect(steered).toMatchObject({ code: 0, model: { layers } });
    expect(steered.out).not.toBe(" named Lily. She loved\n");
  });

  test("reads the prompt from the standard input, and answers in JSON", async () => {
    const words = [
      "run",
      "--model",
      bundledModel,
      "--json",
      "--max-tokens",
      "3",
      "--temperature",
      "0",
      "--seed",
      "1",
    ];
    const { code, out } = await runMidtoken(words, { input: ["Once upon ", "a time\n"] });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ text: ", there was", finish_reason: "length", error: null });
    const failed = await runMidtoken([...words, "--mod", failing], { input: ["Once"] });
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out).error).toContain("no more");
  });

  test("several mods, one of them by the name of its export", async () => {
    const words = [
      "run",
      ...girl,
      "--mod",
      `${twoMods}#shout`,
      "--mod",
      twoMods,
      "--max-tokens",
      "3",
      "--json",
      "--no-link",
    ];
    const { out } = await runMidtoken(words);
    expect(JSON.parse(out)).toMatchObject({ model: "stories260k/two,two-2", text: " named Tom" });
  });

  test("a mod has the time of QuickJS, unless it is given less", async () => {
    const looping = file(
      "looping.ts",
      `import { mod } from "midtoken/mod";\nexport default mod({ added() { for (;;); } });\n`,
    );
    const trace = join(folder, "looping.trace");
    const words = ["run", ...girl, "--mod", looping, "--trace", trace, "--no-link"];
    const { code, errors } = await runMidtoken([...words, "--deadline", "1000"]);
    expect({ code, errors }).toMatchObject({
      code: 1,
      errors: expect.stringContaining("within 1000 ms") as string,
    });
    const deadlinesOf = (path: string) =>
      decodeTraceFile(new Uint8Array(readFileSync(path))).trace.records.flatMap((record) =>
        record.type === "request" ? [record.deadlines] : [],
      );
    expect(deadlinesOf(trace)).toEqual([{ load: 1_000, prefilled: 1_000, event: 1_000 }]);
    expect(deadlinesOf(join(folder, "girl.trace"))).toEqual([nodeDeadlines]);
  });

  test.each([
    [[], "--model is missing."],
    [["--model"], "argument missing"],
    [
      ["--model", bundledModel, "words"],
      '"words" is not an option: if it is the prompt, write --prompt before it.',
    ],
    [
      ["--model", bundledModel, "--prompt", "x", "--temprature", "1"],
      '--temprature is not known. Did you mean "--temperature"?',
    ],
    [
      ["--model", bundledModel, "--prompt", "x", "--temperature", "1001"],
      '--temperature is "1001": give a number from 0 to 1000.',
    ],
    [
      ["--model", bundledModel, "--prompt", "x", "--min-p", "2"],
      '--min-p is "2": give a number from 0 to 1.',
    ],
    [
      ["--model", bundledModel, "--prompt", "x", "--seed", "1.5"],
      '--seed is "1.5": give a whole number from 0 to 4294967295.',
    ],
    [
      ["--model", bundledModel, "--prompt", "x", "--on-mod-error", "go"],
      '--on-mod-error is "go": give stop or continue.',
    ],
    [
      ["--model", bundledModel],
      "--prompt is missing, and standard input is empty: give --prompt, or pipe the prompt in.",
    ],
    [["--model", bundledModel, "--prompt", "x", "--mod", "nowhere.ts"], "The mod nowhere.ts cannot be read"],
  ])("%s is a command that is not understood", async (words, told) => {
    const ran = await runMidtoken(["run", ...words]);
    expect(ran.code).toBe(2);
    expect(ran.errors).toContain(told);
    expect(ran.errors).toContain("midtoken run --help");
  });

  test.each([
    ["./nowhere", "There is no folder"],
    ["src", "config.json is not in"],
    ["no model", '"no model" is not a model'],
  ])("a model that is none: %s", async (model, told) => {
    const ran = await runMidtoken(["run", "--model", model, "--prompt", "x"]);
    expect(ran).toMatchObject({ code: 1, errors: expect.stringContaining(told) as string });
  });
});

test("help, versions, and commands that are not there", async () => {
  expect(await runMidtoken(["--help"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("midtoken serve") as string,
  });
  const options = {
    run: runCommandOptions,
    serve: serveCommandOptions,
    test: testCommandOptions,
    watch: watchCommandOptions,
  };
  for (const [command, table] of Object.entries(options)) {
    const { code, out } = await runMidtoken([command, "--help"]);
    const missing = Object.keys(table).filter((name) => !new RegExp(`--${name}(?![\\w-])`).test(out));
    expect({ command, missing }).toEqual({ command, missing: [] });
    expect({ code, first: out.split(" ").slice(0, 2) }).toEqual({ code: 0, first: ["midtoken", command] });
    expect((await runMidtoken(["help", command])).out).toBe(out);
  }
  expect((await runMidtoken(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await runMidtoken([])).toMatchObject({ code: 2, out: "" });
  expect(await runMidtoken(["constructor"])).toMatchObject({
    code: 2,
    errors: expect.stringContaining("The commands are run, serve, test, watch.") as string,
  });
});

test("each option is used in a test of this folder", () => {
  const tests = sourcesBelow("src/package/node").filter((path) => path.endsWith(".test.ts"));
  const texts = tests.map((path) => readFileSync(path, "utf8")).join("\n");
  // The options of sampling settings come from one table.
  const names = Object.keys({ ...runCommandOptions, ...serveCommandOptions, ...testCommandOptions }).filter(
    (name) => !(name in samplingOptions),
  );
  expect(names.filter((name) => !texts.includes(`"--${name}"`))).toEqual([]);
});

describe("test", () => {
  const tests = file(
    "hero.test.ts",
    `import type { ModTests } from "midtoken/node";
const prompt: string = "Once upon a time there was a girl";
export default {
  model: ${JSON.stringify(join(process.cwd(), bundledModel))},
  mods: ["./hero.ts"],
  settings: { maxTokens: 8 },
  cases: [
    { name: "a girl", prompt, expect: { includes: " named", excludes: ["Lily", "lily"], interventions: { min: 1 }, finishReason: "length" } },
    { prompt, name: "shorter", maxTokens: 2, expect: { matches: /named/g, check: ({ text }) => { if (text.length > 20) throw new Error("too long"); } } },
  ],
} satisfies ModTests;
`,
  );
  const hero = file("hero.ts", rename("Max"));
  const snapshot = () => JSON.parse(readFileSync(`${tests}.snapshot.json`, "utf8")).cases;

  test("stores what was never stored, but not in CI; then passes, says what changed, and stores it when told to", async () => {
    const inCi = await runMidtoken(["test", tests], { environment: { CI: "true" } });
    expect(inCi).toMatchObject({ code: 1, out: expect.stringContaining("2 cases: 2 failed") as string });
    expect(await runMidtoken(["test", tests])).toMatchObject({
      code: 0,
      out: `${tests}\n  + a girl\n  + shorter\n2 cases: 2 stored\n`,
    });
    expect(snapshot()["a girl"]).toEqual({
      text: " named Max. Max",
      finishReason: "length",
      interventions: { forceTokens: 1 },
    });
    expect(await runMidtoken(["test", "--ci", tests])).toMatchObject({
      code: 0,
      out: expect.stringContaining("2 passed") as string,
    });

    writeFileSync(hero, rename("Tom"));
    const changed = await runMidtoken(["test", "--ci", tests]);
    expect(changed.code).toBe(1);
    expect(changed.out).toContain("  ~ a girl\n      -  named[ Max. Max]\n      +  named[ Tom. Tom loved]\n");
    expect(changed.out).toContain(`midtoken test ${tests} --update`);
    expect((await runMidtoken(["test", "--update", tests])).code).toBe(0);
    expect(snapshot()["a girl"].text).toBe(" named Tom. Tom loved");

    writeFileSync(hero, rename("Lily"));
    const failed = await runMidtoken(["test", "--json", tests]);
    expect(failed.code).toBe(1);
    const [girlCase] = JSON.parse(failed.out).files[0].cases;
    expect(girlCase).toMatchObject({
      outcome: "failed",
      lines: ['it contains "Lily"', expect.stringContaining("the answer was") as string],
    });
    // Loading leaves no temporary files.
    expect(readdirSync(folder).filter((name) => name.startsWith(".midtoken"))).toEqual([]);
  });

  test.each([
    ["no tests", "export default 5;", "exports 5 by default"],
    ["no cases", "export default { mods: [], cases: [] };", '"cases" is an empty list'],
    ["a case without prompt", "export default { mods: [], cases: [{}] };", "give { prompt, expect }"],
    [
      "one name twice",
      `export default { mods: [], cases: [{ prompt: "a" }, { prompt: "a" }] };`,
      'two cases are called "a"',
    ],
    ["no model", `export default { mods: [], cases: [{ prompt: "a" }] };`, "--model is missing"],
    ["a file that fails", `throw new Error("not today");`, "not today"],
  ])("%s is said", async (_, text, told) => {
    const ran = await runMidtoken(["test", file("odd.test.ts", text)]);
    expect(ran.code).toBeGreaterThan(0);
    expect(`${ran.errors}${ran.out}`).toContain(told);
  });

  test("a file that throws is named with its line, and the files after it run", async () => {
    const bad = file("bad.test.ts", `const count: number = 1;\n\nthrow new Error("not today");\n`);
    const broken = file("broken.test.ts", `export default {\n  cases: [,\n  }}\n`);
    const good = file("good.test.ts", `export default { mods: [], cases: [{ prompt: "a", maxTokens: 2 }] };`);
    const ran = await runMidtoken(["test", bad, broken, good, "--model", bundledModel]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(`${bad}:3: not today`);
    expect(ran.out).toMatch(/broken\.test\.ts:\d/);
    expect(ran.out).toContain(`${good}\n  + a`);
    expect(ran.out).toContain("1 case: 1 stored, 2 files could not be run");
  });

  test.each([
    [{ cases: [{ prompt: "a", expct: {} }] }, 'cases[0].expct is not known. Did you mean "expect"?'],
    [
      { cases: [{ prompt: "a", maxtokens: 3 }] },
      'cases[0].maxtokens is not known. Did you mean "maxTokens"?',
    ],
    [
      { cases: [{ prompt: "a", expect: { incldes: "x" } }] },
      'cases[0].expect.incldes is not known. Did you mean "includes"?',
    ],
    [{ cases: [{ prompt: "a", expect: { includes: 5 } }] }, "cases[0].expect.includes is 5: give a string"],
  ])("%j fails", async (tests, words) => {
    const path = file("odd.test.json", JSON.stringify({ mods: [], ...tests }));
    const ran = await runMidtoken(["test", path, "--model", bundledModel]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(words);
  });
});

describe("serve", () => {
  test("answers OpenAI's API with mods on this machine, to nobody else, until Ctrl-C", async () => {
    const stop = new AbortController();
    let found: (address: string) => void = () => undefined;
    const listening = new Promise<string>((resolve) => {
      found = resolve;
    });
    const serving = runMidtoken(["serve", "--model", bundledModel, "--mod", renameFile, "--port", "0"], {
      signal: stop.signal,
      onWrite: (text) => found(/http:\S+/.exec(text)?.[0] ?? ""),
    });
    const address = await listening;
    const ask = async (body: object) =>
      fetch(`${address}/chat/completions`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    const girlRequest = { messages: [{ role: "user", content: girl[3] }], temperature: 0, max_tokens: 4 };
    const modded = await (await ask({ ...girlRequest, model: "stories260k/rename-hero" })).json();
    expect(modded.choices[0].message.content).toBe(" named Max");
    const stream = await (await ask({ ...girlRequest, model: "stories260k", stream: true })).text();
    expect(stream).toMatch(/"content":" named".*data: \[DONE\]\n\n$/s);
    expect((await ask({ ...girlRequest, model: "gpt" })).status).toBe(404);

    const port = new URL(address).port;
    expect((await fetch(`${address}/models`, { headers: { origin: "https://example.org" } })).status).toBe(
      403,
    );
    const taken = await runMidtoken(["serve", "--model", bundledModel, "--port", port]);
    expect(taken).toMatchObject({
      code: 2,
      errors: expect.stringContaining(`Port ${port} of 127.0.0.1 is in use`) as string,
    });
    stop.abort();
    expect((await serving).code).toBe(0);
    await expect(fetch(`${address}/models`)).rejects.toThrow();
  });

  test("a site that is none is refused", async () => {
    const ran = await runMidtoken(["serve", "--model", bundledModel, "--origin", "example.org/x"]);
    expect(ran).toMatchObject({
      code: 2,
      errors: expect.stringContaining("give a site without a path (https://example.com)") as string,
    });
  });
});

test("a model of another machine is fetched once, and then taken from the cache", async () => {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    const path = join(bundledModel, url.replace("/m/", ""));
    try {
      response.end(readFileSync(path));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const model = `http://127.0.0.1:${(server.address() as AddressInfo).port}/m`;
  const cache = process.env.XDG_CACHE_HOME;
  process.env.XDG_CACHE_HOME = join(folder, "cache");
  try {
    const words = [
      "run",
      "--model",
      model,
      "--dtype",
      "fp32",
      "--prompt",
      "Once",
      "--max-tokens",
      "2",
      "--temperature",
      "0",
    ];
    const first = await runMidtoken(words);
    expect(first).toMatchObject({ code: 0, out: " upon a\n" });
    expect(asked).toContain("/m/onnx/model.onnx");
    const graphs = asked.filter((url) => url.endsWith(".onnx")).length;
    expect(await runMidtoken(words)).toMatchObject({ code: 0, out: " upon a\n" });
    expect(asked.filter((url) => url.endsWith(".onnx"))).toHaveLength(graphs);
  } finally {
    if (cache === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = cache;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
