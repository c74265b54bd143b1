/** The three projects of docs/start.md, copied out of the page, on the built package. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "@playwright/test";
import { build } from "vite";
import { copyBuiltPackage } from "../../scripts/package/built-package.ts";
import { serveExample } from "./example-apps.ts";
import { copyStartProjects, type StartProject } from "./start-projects.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-package-"));
const model = resolve(import.meta.dirname, "../../public/models/stories260k");
let project: StartProject;

test.beforeAll(async () => {
  await copyBuiltPackage(folder);
  project = copyStartProjects(folder);
});
test.afterAll(() => {
  project?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test("the page built by Vite: a click before the model is loaded waits, and is answered", async ({
  context,
  page,
}) => {
  await build({ root: project.path, configFile: false, logLevel: "error" });
  await serveExample(context, { folder: join(project.path, "dist"), installed: folder, remove: () => {} });
  let release = () => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  await context.route("https://huggingface.co/**", async (route) => {
    await released;
    await route.fallback();
  });
  await page.goto("https://app.example/");
  await page.getByRole("button", { name: "Tell a story" }).click();
  await expect(page.locator("p")).toHaveText("Loading the model …");
  await expect(page.getByRole("button")).toBeDisabled();
  release();
  await expect(page.locator("p")).toHaveText(/\w+ \w+ \w+/, { timeout: 120_000 });
  await expect(page.locator("p")).not.toHaveText(/Loading|Error/);
  await expect(page.getByRole("button")).toBeEnabled({ timeout: 120_000 });
});

test("the script runs in a CommonJS project", () => {
  const said = execFileSync(process.execPath, ["story.mjs", model], { cwd: project.path, encoding: "utf8" });
  expect(said).toMatch(/\w+ \w+ \w+/);
});

test("the server answers whole and in a stream, also a request that came while the model loaded", async () => {
  const child = spawn(process.execPath, ["server.mjs", model, "0"], { cwd: project.path });
  try {
    const address = await new Promise<string>((found, fail) => {
      child.stdout.once("data", (text) => found(String(text).trim()));
      child.once("exit", (code) => fail(new Error(`The server ended with ${code}.`)));
    });
    const ask = (more: object) =>
      fetch(`${address}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          model: "stories260k",
          messages: [{ role: "user", content: "Once" }],
          max_tokens: 8,
          ...more,
        }),
      });
    const whole = await (await ask({})).json();
    expect(whole.choices[0].message.content).toMatch(/\w+/);
    const stream = await (await ask({ stream: true })).text();
    expect(stream).toMatch(/^data: \{/);
    expect(stream.trim().endsWith("data: [DONE]")).toBe(true);
    expect((await ask({ modle: 1 })).status).toBe(400);
    expect((await (await fetch(`${address}/models`)).json()).data).toMatchObject([{ id: "stories260k" }]);
  } finally {
    child.kill();
  }
});
