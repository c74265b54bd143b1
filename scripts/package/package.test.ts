import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkPackage, Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lateWasmOptimization } from "../v8-switches.ts";
import { contentsFile, packageReports, reportFolder } from "./build.ts";
import { copyBuiltPackage, declarationsOf } from "./built-package.ts";
import { packageFiles } from "./contents.ts";
import { measureImportBytes } from "./sizes.ts";
import { subpaths } from "./subpaths.ts";

const advice = "It was meant? Then run `npm run package -- --report` and look at what changed.";
const folder = mkdtempSync(join(tmpdir(), "midtoken-package-"));
let files: readonly string[] = [];
const manifest = (): { exports: Record<string, unknown>; [field: string]: unknown } =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

beforeAll(async () => {
  await copyBuiltPackage(folder);
  files = packageFiles(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("publint finds nothing", async () => {
  const { messages } = await publint({ pkgDir: folder, pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, manifest()))).toEqual([]);
});

test("every entry has the right types for node16's modules and for bundlers", async () => {
  const name = "/node_modules/midtoken";
  const texts = files.filter((path) => /\.(js|json|ts|html)$/.test(path));
  const contents = Object.fromEntries(
    texts.map((path) => [`${name}/${path}`, readFileSync(join(folder, path), "utf8")]),
  );
  const entrypoints = ["./package.json", ...subpaths.map(({ path }) => path)];
  const result = await checkPackage(new Package(contents, "midtoken", String(manifest().version)), {
    entrypoints,
  });
  const problems = result.types === false ? ["no types"] : result.problems;
  // CommonJS is not offered: Node 20.19 and later can `require` a module.
  const ours = problems.filter(
    (problem) =>
      typeof problem === "string" ||
      !("resolutionKind" in problem) ||
      (problem.resolutionKind !== "node16-cjs" && problem.resolutionKind !== "node10"),
  );
  expect(ours).toEqual([]);
});

test("the hooks say that they belong to the browser, and import the package as an app does", () => {
  const text = readFileSync(join(folder, "dist/react.js"), "utf8");
  expect(text).toMatch(/^"use client";\n/);
  const imported = [...text.matchAll(/(?:from|import) "([^"]+)"/g)].map(([, name]) => name);
  expect(new Set(imported)).toEqual(new Set(["react", "midtoken", "midtoken/timeline"]));
});

test("no module of Node is in what a browser's entries import", () => {
  const dist = join(folder, "dist");
  const entries = subpaths.filter(({ isNode }) => !isNode).map(({ name }) => `${name}.js`);
  const reached = new Set([...entries, "index-portable.js"]);
  const found: string[] = [];
  for (const file of reached) {
    const code = readFileSync(join(dist, file), "utf8");
    if (/(?:from|import)\s*\(?"node:/.test(code)) found.push(file);
    for (const [, next = ""] of code.matchAll(/(?:from|import)\s*\(?"\.\/([^"]+\.js)"/g)) reached.add(next);
  }
  expect(reached.size).toBeGreaterThan(40);
  expect(found).toEqual([]);
});

test("what is in the package is what is listed", () => {
  expect(`${files.join("\n")}\n`, advice).toBe(readFileSync(contentsFile, "utf8"));
});

describe("the API is the one in docs/api", () => {
  let reports: ReadonlyMap<string, string>;
  beforeAll(() => {
    reports = packageReports(declarationsOf(folder));
  });
  test.each(subpaths.map(({ name }) => name))("%s", (name) => {
    expect(reports.get(`${name}.md`), advice).toBe(readFileSync(resolve(reportFolder, `${name}.md`), "utf8"));
  });
});

test("an entry is as small as was asked, or as it was when it missed that", async () => {
  const tooLarge: string[] = [];
  for (const subpath of subpaths) {
    if (subpath.limit === null) continue;
    const bytes = await measureImportBytes(subpath, folder);
    const most = subpath.missedAt ?? subpath.limit;
    if (bytes > most * 1000) {
      tooLarge.push(`${subpath.path}: ${bytes} bytes, and at most ${most} kB are allowed`);
    }
  }
  expect(tooLarge).toEqual([]);
});

test("on a server an import does nothing, asks for nothing of a browser and keeps nothing running", () => {
  const app = mkdtempSync(join(tmpdir(), "midtoken-server-"));
  try {
    mkdirSync(join(app, "node_modules"));
    symlinkSync(folder, join(app, "node_modules/midtoken"), "dir");
    const names = subpaths
      .filter(({ name }) => name !== "react" && name !== "ai-sdk")
      .map(({ path }) => `midtoken${path.slice(1)}`);
    writeFileSync(
      join(app, "server.mjs"),
      `const before = Object.getOwnPropertyNames(globalThis);
const found = {};
for (const name of ${JSON.stringify(names)}) found[name] = Object.keys(await import(name)).length;
const added = Object.getOwnPropertyNames(globalThis).filter((name) => !before.includes(name));
console.log(JSON.stringify({ found, added }));
`,
    );
    const said = execFileSync(process.execPath, ["server.mjs"], { cwd: app, encoding: "utf8" });
    const { found, added } = JSON.parse(said) as { found: Record<string, number>; added: string[] };
    expect(added).toEqual([]);
    expect(Object.keys(found)).toEqual(names);
    for (const name of names) expect(found[name], name).toBeGreaterThan(0);
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
});

describe("npx midtoken", () => {
  const app = mkdtempSync(join(tmpdir(), "midtoken-command-"));
  afterAll(() => rmSync(app, { recursive: true, force: true }));
  const model = resolve(import.meta.dirname, "../../public/models/stories260k");
  const command = (): readonly string[] => [
    lateWasmOptimization,
    join(folder, (manifest().bin as { midtoken: string }).midtoken),
  ];
  const prompt = ["--model", model, "--prompt", "Once upon a time there was a girl", "--temperature", "0"];

  test("runs a mod in its sandbox from the packed files, and ends by itself", () => {
    const source = `import { mod } from "midtoken/mod";
export default mod({ sampled(event, actions) { if (event.text === " Lily") return actions.forceTokens(" Max"); } });
`;
    writeFileSync(join(app, "hero.ts"), source);
    const words = [
      ...command(),
      "run",
      ...prompt,
      "--mod",
      "hero.ts",
      "--max-tokens",
      "12",
      "--trace",
      "hero.trace",
    ];
    const ran = spawnSync(process.execPath, words, { cwd: app, encoding: "utf8" });
    expect({ status: ran.status, out: ran.stdout }).toEqual({
      status: 0,
      out: " named Max. Max loved to play\n",
    });
    expect(ran.stderr).toMatch(/^To see the timeline, add this to the end of .*\.\n#\S+\n$/);
    expect(readFileSync(join(app, "hero.trace")).length).toBeGreaterThan(500);
  });

  test("a mod that fails is an exit code", () => {
    writeFileSync(join(app, "failing.ts"), `throw new Error("not today");\nexport default {};\n`);
    const words = [...command(), "run", ...prompt, "--mod", "failing.ts", "--no-link"];
    const ran = spawnSync(process.execPath, words, { cwd: app, encoding: "utf8" });
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain("line 1");
    expect(ran.stderr).toContain("not today");
  });

  /** A server with the bundled model, once it answers. */
  async function startServe(...more: readonly string[]) {
    const words = [...command(), "serve", "--model", model, "--port", "0", ...more];
    const child = spawn(process.execPath, words, { cwd: app });
    const said = await new Promise<string>((found) =>
      child.stdout.once("data", (text) => found(String(text))),
    );
    return { child, address: /http:\S+/.exec(said)?.[0] ?? "" };
  }

  test("SIGTERM during a stream: the client gets an error event and the end of the stream", async () => {
    const { child, address } = await startServe();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // A mod that thinks for a minute after some words: the stream is open when the signal comes.
    const source = `import { mod } from "midtoken/mod";
export default mod({ added({ step }) { if (step === 5) for (;;); } });
`;
    const headers = { "content-type": "application/json" };
    const post = (path: string, body: object) =>
      fetch(`${address}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect((await post("mods", { name: "slow", source })).status).toBe(200);
    const response = await post("chat/completions", {
      model: "stories260k/slow",
      messages: [{ role: "user", content: "Once upon a time" }],
      stream: true,
      midtoken: { retract: true, deadlines: { event: 60_000 } },
    });
    let text = "";
    for await (const bytes of response.body ?? []) {
      if (text === "") child.kill("SIGTERM");
      text += Buffer.from(bytes).toString();
    }
    const events = text.trim().split("\n\n");
    expect(events.at(-1)).toMatch(/^data: \{"error":\{.*"code":"server_stopped"/);
    expect(await ended).toBe(0);
  });

  test.each([
    ["a check", `check: () => { process.stdout.write("begun\\n"); for (;;); }`],
    ["a test file", `check: (process.stdout.write("begun\\n"), (() => { for (;;); })())`],
  ])("Ctrl-C ends `test`, whatever its files compute: %s", async (_, check) => {
    const tests = `export default { mods: [], cases: [{ prompt: "a", maxTokens: 2, expect: { ${check} } }] };`;
    writeFileSync(join(app, "endless.test.ts"), tests);
    const child = spawn(process.execPath, [...command(), "test", "endless.test.ts", "--model", model], {
      cwd: app,
    });
    const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
    let errors = "";
    child.stderr.on("data", (text) => {
      errors += String(text);
    });
    child.stdout.once("data", () => child.kill("SIGINT"));
    // A shell reports this signal as the exit code 130.
    expect([await ended, errors]).toEqual(["SIGINT", "midtoken: Stopped by Ctrl-C.\n"]);
    expect(readdirSync(app).filter((name) => name.startsWith(".midtoken-"))).toEqual([]);
  });

  test("SIGTERM ends `serve`, also while a trusted mod computes without end", async () => {
    const source = `import { mod } from "midtoken/mod";
export default mod({ sampled() { process.stdout.write("begun\\n"); for (;;); } });
`;
    writeFileSync(join(app, "endless.ts"), source);
    const { child, address } = await startServe("--mod", "endless.ts", "--trusted-mods");
    const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
    const begun = new Promise((resolve) =>
      child.stdout.on("data", (text) => /begun/.test(text) && resolve(0)),
    );
    const body = JSON.stringify({ model: "stories260k/endless", prompt: "Once" });
    const headers = { "content-type": "application/json" };
    const cut = fetch(`${address}/completions`, { method: "POST", headers, body }).catch(() => "cut");
    await begun;
    child.kill("SIGTERM");
    expect(await ended).toBe("SIGTERM");
    expect(await cut).toBe("cut");
  });

  test("Ctrl-C stops what goes on", async () => {
    const { child, address } = await startServe();
    const models = await (await fetch(`${address}/models`)).json();
    expect(models.data).toMatchObject([{ id: "stories260k" }]);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  });
});
