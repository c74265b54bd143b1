/** `midtoken serve --trusted-mods`: mods from files run in the process, mods over HTTP in sandboxes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { startFakeStoryServer } from "../testing/fake-story.ts";
import { type ServingGateway, serveGateway } from "../testing/serve-gateway.ts";
import { bundledModel, runMidtoken } from "../testing/test-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-trusted-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
  Reflect.deleteProperty(globalThis, "midtokenIsWaiting");
});

const sayWhere = `import { mod } from "midtoken/mod";
const words: string[] = [];
export default mod({
  forwardPass(event, actions) {
    if (event.step > 0) return undefined;
    words.push(typeof process);
    return actions.forceTokens(\`[\${words.join(" ")}]\`);
  },
});`;

const countSteps = `import { mod, requestState } from "midtoken/mod";
const steps = requestState(() => 0);
let passes = 0;
export default mod({
  async forwardPass(event, actions) {
    steps.current += 1;
    passes += 1;
    await Promise.resolve();
    if (event.step !== 3) return undefined;
    return actions.forceTokens(\`(\${steps.current} \${passes})\`);
  },
});`;

const waitForEver = `import { mod } from "midtoken/mod";
export default mod({
  forwardPass() {
    (globalThis as { midtokenIsWaiting?: boolean }).midtokenIsWaiting = true;
    return new Promise<undefined>(() => undefined);
  },
});`;

const file = (name: string, source: string): string => {
  const path = join(folder, name);
  writeFileSync(path, source);
  return path;
};

const files = [
  file("where.ts", sayWhere),
  file("count.ts", countSteps),
  file("wait.ts", waitForEver),
].flatMap((path) => ["--mod", path]);

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.stop();
});

async function serve(...words: readonly string[]): Promise<ServingGateway> {
  const fake = await startFakeStoryServer({ slots: 16 });
  open.push({ stop: () => fake.close() });
  const gateway = await serveGateway([fake.url], [...files, ...words]);
  open.push(gateway);
  return gateway;
}

const ask = async ({ client }: ServingGateway, mod: string, prompt = "Once", signal?: AbortSignal) => {
  const request = { model: `stories260k/${mod}`, prompt, max_tokens: 8, temperature: 0 };
  const answer = await client.completions.create(request, { signal });
  return answer.choices[0]?.text ?? "";
};

test("mods of files run in the process, with module variables of their own for each request", async () => {
  const gateway = await serve("--trusted-mods");
  expect(await ask(gateway, "where")).toContain("[object]");
  // A second request does not see the first one's variables.
  expect(await ask(gateway, "where")).toContain("[object]");
});

test("without --trusted-mods the same files run in sandboxes", async () => {
  expect(await ask(await serve(), "where")).toContain("[undefined]");
});

test("a mod that came over HTTP runs in a sandbox, also under the name and with the source of a trusted mod", async () => {
  const gateway = await serve("--trusted-mods");
  const register = (name: string) =>
    fetch(`${gateway.address}/mods`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name, source: sayWhere }),
    });
  for (const name of ["guest", "where"]) {
    expect((await register(name)).status).toBeLessThan(300);
    expect(await ask(gateway, name)).toContain("[undefined]");
  }
});

test("16 requests at once keep their own state, and get the text that they get from a sandbox", async () => {
  const trusted = await serve("--trusted-mods");
  const sandboxed = await serve();
  const prompts = Array.from({ length: 16 }, (_, place) => `Girl ${place}`);
  const texts = await Promise.all(prompts.map((prompt) => ask(trusted, "count", prompt)));
  for (const text of texts) expect(text).toContain("(4 4)");
  expect(texts[5]).toBe(await ask(sandboxed, "count", "Girl 5"));
});

test("a mod that waits for ever holds up the others only until its client leaves", async () => {
  const gateway = await serve("--trusted-mods");
  const gone = new AbortController();
  const waiting = ask(gateway, "wait", "Once", gone.signal).catch(() => "aborted");
  const isWaiting = () => (globalThis as { midtokenIsWaiting?: boolean }).midtokenIsWaiting;
  await expect.poll(isWaiting).toBe(true);
  const next = ask(gateway, "where");
  gone.abort();
  expect(await waiting).toBe("aborted");
  expect(await next).toContain("[object]");
});

test("a trusted file that cannot be loaded ends the start with its name", async () => {
  const broken = file("broken.ts", `throw new Error("No address was set.");`);
  const words = ["serve", "--model", bundledModel, "--trusted-mods", "--mod", broken];
  const { code, errors } = await runMidtoken(words);
  expect(code).toBe(2);
  expect(errors).toContain(`${broken} cannot be loaded: No address was set.`);
});

test("--trusted-mods without files is refused", async () => {
  const { code, errors } = await runMidtoken(["serve", "--model", bundledModel, "--trusted-mods"]);
  expect(code).toBe(2);
  expect(errors).toContain("give at least one of these options");
});
