import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageManifest } from "./manifest.ts";
import { originOfClone, publicAddresses } from "./public-addresses.ts";

const expected = {
  homepage: "https://github.com/owner/midtoken#readme",
  repository: { type: "git", url: "git+https://github.com/owner/midtoken.git" },
  bugs: { url: "https://github.com/owner/midtoken/issues" },
};

test.each([
  "https://github.com/owner/midtoken.git",
  "https://github.com/owner/midtoken",
  "https://github.com/owner/midtoken/",
  "https://name:secret@github.com/owner/midtoken.git",
  "git@github.com:owner/midtoken.git",
  "ssh://git@github.com:22/owner/midtoken.git",
  "git+ssh://git@github.com/owner/midtoken.git",
])("%s names the repository, its page and its issues", (remote) => {
  expect(publicAddresses(remote)).toEqual(expected);
});

test.each([
  "",
  "/work/main",
  "../midtoken",
  "C:\\projects\\midtoken",
  "file:///work/main",
  "https://localhost/owner/midtoken.git",
  "https://git.local/owner/midtoken.git",
  "https://10.0.0.7/owner/midtoken.git",
  "https://[::1]/owner/midtoken.git",
  "git@build:owner/midtoken.git",
  "https://github.com/",
  "javascript:alert(1)",
])("%s is no public address", (remote) => {
  expect(publicAddresses(remote)).toBeUndefined();
});

test("the package names the addresses of the clone's remote, and none for a local clone", () => {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-remote-"));
  try {
    execFileSync("git", ["init", "--quiet", folder]);
    expect(originOfClone(folder)).toBe("");
    const remote = "git@github.com:owner/midtoken.git";
    execFileSync("git", ["remote", "add", "origin", remote], { cwd: folder });
    expect(originOfClone(folder)).toBe(remote);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect(packageManifest("git@github.com:owner/midtoken.git")).toMatchObject(expected);
  const local = packageManifest("/work/main");
  for (const field of Object.keys(expected)) expect(local).not.toHaveProperty(field);
});
