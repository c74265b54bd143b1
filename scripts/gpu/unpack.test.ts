import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { manifestText } from "./calls.ts";
import { runAndCaptureOutput } from "./shell.ts";

const hasPrograms = ["bash", "tar", "xz", "sha256sum"].every(
  (name) => spawnSync(name, ["--version"]).status === 0,
);
const testHere = test.skipIf(!hasPrograms);

const script = join(import.meta.dirname, "unpack.sh");
let base = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "midtoken-unpack-"));
  write("work/package-lock.json", "{}");
  write("work/src/moved.ts", "old");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, text: string | Buffer): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

/** Packs `tree/node_modules/x.js` as a group of two pieces, the second of which comes with the second call. */
function writeCalls(): void {
  write("packed/tree/node_modules/x.js", "a package");
  runAndCaptureOutput("tar", ["-cJf", join(base, "app.tar.xz"), "-C", join(base, "packed"), "."]);
  const whole = readFileSync(join(base, "app.tar.xz"));
  const contents = [whole.subarray(0, 100), whole.subarray(100)];
  const pieces = contents.map((content, i) => {
    const sha256 = createHash("sha256").update(content).digest("hex");
    return { group: "app", name: `app.00${i}`, bytes: content.length, sha256 };
  });
  const lock = createHash("sha256").update("{}").digest("hex");
  for (const [i, content] of contents.entries()) {
    const call = `work/.gpu/call${i + 1}`;
    write(`${call}/pieces/app.00${i}`, content);
    write(`${call}/manifest`, manifestText(pieces));
    write(`${call}/lock`, `${lock}\n`);
  }
}

function unpack(...args: string[]) {
  const env = { ...process.env, MIDTOKEN_GPU: join(base, "gpu") };
  return spawnSync("bash", [script, ...args], { cwd: join(base, "work"), env, encoding: "utf8" });
}

testHere("what came in two calls is whole after the second, beside the working tree", () => {
  writeCalls();
  expect(unpack(".gpu/call1").stdout).toContain("still to come: app");
  expect(unpack(".gpu/call2").stdout).toBe("unpacked: app \n");
  expect(readFileSync(join(base, "gpu/tree/node_modules/x.js"), "utf8")).toBe("a package");
  expect(existsSync(join(base, "gpu/tree/src/moved.ts"))).toBe(true);
  expect(existsSync(join(base, "gpu/tree/.gpu"))).toBe(false);
});

testHere("a later call's tree replaces the earlier one; packages and results stay", () => {
  writeCalls();
  unpack(".gpu/call1");
  unpack(".gpu/call2");
  write("gpu/tree/test-results/gpu/log.txt", "a log");
  rmSync(join(base, "work/src"), { recursive: true });
  write("work/src/core/moved.ts", "new");
  expect(unpack().status).toBe(0);
  expect(existsSync(join(base, "gpu/tree/src/moved.ts"))).toBe(false);
  for (const kept of ["src/core/moved.ts", "node_modules/x.js", "test-results/gpu/log.txt"])
    expect(existsSync(join(base, "gpu/tree", kept)), kept).toBe(true);
});

testHere("a damaged piece is reported, and so are packages that differ from the lock file", () => {
  writeCalls();
  write("work/.gpu/call1/pieces/app.000", "damaged");
  const damaged = unpack(".gpu/call1");
  expect(damaged.status).toBe(1);
  expect(damaged.stderr).toBe("app.000 is damaged. Carry it again.\n");
  writeCalls();
  write("work/package-lock.json", "{ }");
  expect(unpack(".gpu/call1").stderr).toContain("Pack again.");
});
