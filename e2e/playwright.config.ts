/**
 * Browser tests: `npx playwright test --config e2e/playwright.config.ts [folder]`.
 * The dev server listens on `E2E_PORT` (5199 unless set): two runs side by side need two ports.
 * `MIDTOKEN_DEVICE=gpu` computes WebGPU on the machine's own adapter, software otherwise (`scripts/chromium-switches.ts`).
 */
import { defineConfig, type PlaywrightTestConfig } from "@playwright/test";
import { ensureChromium, ensureHeadlessShell } from "../scripts/browsers.mjs";
import { chromiumArgs, readDeviceOption } from "../scripts/chromium-switches.ts";
import { lateWasmOptimization } from "../scripts/v8-switches.ts";
import { specsOf } from "./projects.ts";

/** On a graphics card, and where attacks are tried, tests run in the browser that users have. */
const chromium = await ensureChromium();
const isOnCard = readDeviceOption(undefined) === "gpu";
const headlessShell = isOnCard ? chromium : await ensureHeadlessShell();

const args = [...chromiumArgs(), `--js-flags=${lateWasmOptimization}`];

const port = Number(process.env.E2E_PORT ?? 5199);
const address = `http://127.0.0.1:${port}`;
/** The built page under a sub-path (e2e/serve-built.ts): what `e2e/page` tests. */
const builtPort = Number(process.env.BUILT_PORT ?? 5198);
const builtAddress = `http://127.0.0.1:${builtPort}/some/sub/path/`;

type ServerOption = Extract<PlaywrightTestConfig["webServer"], { command: string }>;

const builtPage: ServerOption = {
  command: "npx tsx e2e/serve-built.ts",
  cwd: new URL("..", import.meta.url).pathname,
  env: { BUILT_PORT: String(builtPort) },
  url: builtAddress,
  timeout: 300_000,
  reuseExistingServer: false,
  stdout: "ignore",
  stderr: "pipe",
};

const servers: ServerOption[] = [
  {
    command: `npx vite --config e2e/vite.config.ts --host 127.0.0.1 --port ${port} --strictPort`,
    cwd: new URL("..", import.meta.url).pathname,
    url: `${address}/e2e/webgpu/adapter.html`,
    reuseExistingServer: false,
    stdout: "ignore",
    stderr: "pipe",
  },
  // `E2E_DEV_ONLY=1` leaves the build out, for runs of the engine's and the sandbox's tests alone.
  ...(process.env.E2E_DEV_ONLY ? [] : [builtPage]),
];

export default defineConfig({
  testDir: ".",
  globalSetup: "./record-adapter.ts",
  testMatch: "**/*.spec.ts",
  // Playwright empties it: what `npm test` keeps lies beside it.
  outputDir: "../test-results/browser",
  // One file at a time, unless a run leaves the project "webgpu" out: beside software WebGPU, which takes all cores, an honest
  // mod's thread may get too little time though its process answers pings (seen once in 250 tests). So `npm test` runs that
  // project apart (scripts/test.mjs), and mods that a test in it runs have minutes for an event.
  workers: 1,
  retries: 0,
  forbidOnly: true,
  // Only what hangs is ended: a busy machine is no failure.
  timeout: 300_000,
  expect: { timeout: 120_000 },
  reporter: [["list"]],
  use: {
    baseURL: address,
    browserName: "chromium",
    headless: true,
    launchOptions: { executablePath: headlessShell, args },
  },
  projects: [
    { name: "webgpu", testMatch: specsOf("webgpu") },
    {
      name: "sandbox",
      testMatch: specsOf("sandbox"),
      use: { launchOptions: { executablePath: chromium, args } },
    },
    { name: "page", testMatch: specsOf("page"), use: { baseURL: builtAddress } },
  ],
  webServer: servers,
});
