import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isInstalled } from "./install.mjs";

const folder = mkdtempSync(join(tmpdir(), "midtoken-install-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const one = { version: "1.0.0", integrity: "sha512-a" };
const lock = {
  "": { name: "midtoken" },
  "node_modules/one": one,
  "node_modules/mac": { version: "1.0.0", integrity: "sha512-b", optional: true },
};

/** @param installed packages that npm says it installed; null if there is no `node_modules`. */
function checkout(installed: object | null): string {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: lock }));
  if (installed !== null) {
    const text = JSON.stringify({ packages: installed });
    writeFileSync(join(folder, "node_modules/.package-lock.json"), text);
  }
  return folder;
}

test("what `npm ci` installed is not installed again", () => {
  expect(isInstalled(checkout({ "node_modules/one": one }))).toBe(true);
  expect(isInstalled(checkout(lock))).toBe(true);
});

test.each([
  ["nothing is there", null],
  ["a package is missing", {}],
  ["a package has another version", { "node_modules/one": { ...one, version: "1.0.1" } }],
  ["a package has another content", { "node_modules/one": { ...one, integrity: "sha512-c" } }],
])("%s: it is installed", (_, installed) => {
  expect(isInstalled(checkout(installed))).toBe(false);
});

/** Starts a program by `runUntilStopped` in a process of its own. `program` is JavaScript that prints its process id first. */
async function startedProgram(program: string): Promise<{ parent: ChildProcess; child: number }> {
  const script = `import { runUntilStopped } from ${JSON.stringify(new URL("./install.mjs", import.meta.url))};
runUntilStopped(process.execPath, ["-e", ${JSON.stringify(program)}]);`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(parent.stdout, "data");
  return { parent, child: Number(line) };
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

const server = "console.log(process.pid); setInterval(() => {}, 1000);";

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGHUP", 129],
] as const)("%s for the process that started a server ends the server too", async (signal, status) => {
  const { parent, child } = await startedProgram(server);
  expect(isRunning(child)).toBe(true);
  parent.kill(signal);
  expect(await once(parent, "exit")).toEqual([status, null]);
  expect(isRunning(child)).toBe(false);
});

test("the exit status of the program is passed on", async () => {
  const { parent } = await startedProgram("console.log(process.pid); process.exitCode = 7;");
  expect(await once(parent, "exit")).toEqual([7, null]);
});
