/** `pack`: collects in `.gpu` everything for a machine that has a GPU but no Node, no browser and no network. */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { root } from "../install.mjs";
import { folderBesideModels, modelFolder } from "../models-folder.ts";
import {
  type ArchivePiece,
  distributePiecesOverCalls,
  manifestText,
  mebibyte,
  packedBytesPerCall,
} from "./calls.ts";
import { chromiumVersion, gatherChromium } from "./gather-chromium.ts";
import { copyPackages } from "./gather-packages.ts";
import { requirePrograms, runAndCaptureOutput } from "./shell.ts";

const target = join(root, ".gpu");
/** Archives that later calls of `pack` reuse. Vite's dev server does not watch this folder. */
const cache = join(root, "node_modules/.cache/midtoken-gpu");
const pieceBytes = mebibyte;
/** In the order in which they are sent: the browser is last, because nothing runs before everything has arrived. */
const groups = ["node", "app", "models", "libraries", "browser"] as const;
type Group = (typeof groups)[number];
type Log = (line: string) => void;

/** @throws Error that names what is missing */
export function packForGpuMachine(log: Log = console.log): void {
  if (process.arch !== "x64")
    throw new Error(`pack gathers programs for x64, and this machine is ${process.arch}.`);
  requirePrograms(["apt-get", "dpkg-deb", "ar", "xz", "tar", "strip", "ldd", "objdump", "git"]);
  mkdirSync(cache, { recursive: true });
  const version = chromiumVersion();
  const browser = join(cache, `browser-${version}.tar.xz`);
  const archives: Readonly<Record<Group, string>> = {
    node: archive(`node-${process.version}`, packNode, { mayReuse: true, log }),
    app: archive("app", packApp, { mayReuse: false, log }),
    models: archive("models", packModels, { mayReuse: false, log }),
    libraries: archive(`libraries-${version}`, (to) => gatherChromium(to, browser, cache, log), {
      mayReuse: existsSync(browser),
      log,
    }),
    browser,
  };
  const pieces = groups.flatMap((group) => piecesOf(group, archives[group]));
  const treeBytes = workingTreeBytes();
  const calls = distributePiecesOverCalls(pieces, packedBytesPerCall(treeBytes));
  writeCalls(calls, pieces);
  log(`working tree ${(treeBytes / mebibyte).toFixed(1)} MiB; ${calls.length} calls:`);
  for (const [i, call] of calls.entries()) {
    const bytes = call.reduce((sum, piece) => sum + piece.bytes, 0);
    const names = [...new Set(call.map(({ group }) => group))].join(", ");
    log(`  carry .gpu/call${i + 1}: ${(bytes / mebibyte).toFixed(1)} MiB of ${names}`);
  }
}

interface ArchiveOptions {
  readonly mayReuse: boolean;
  readonly log: Log;
}

/**
 * The archive of the files that `gather` writes. If the content depends only on the version in the name, an existing archive is
 * reused.
 */
function archive(name: string, gather: (to: string) => void, { mayReuse, log }: ArchiveOptions): string {
  const path = join(cache, `${name}.tar.xz`);
  if (mayReuse && existsSync(path)) return path;
  const start = performance.now();
  const folder = join(cache, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  gather(folder);
  const tar = join(cache, `${name}.tar`);
  runAndCaptureOutput("tar", ["--sort=name", "--owner=0", "--group=0", "-cf", tar, "."], folder);
  // The filter for machine code costs nothing in archives without machine code.
  runAndCaptureOutput("xz", ["-f", "--check=crc64", "--x86", "--lzma2=preset=6,dict=64MiB", tar]);
  rmSync(folder, { recursive: true });
  const size = (statSync(path).size / mebibyte).toFixed(1);
  log(`${name}: ${size} MiB, ${Math.round((performance.now() - start) / 1000)} s`);
  return path;
}

/** This Node, without debug symbols. */
function packNode(to: string): void {
  mkdirSync(join(to, "bin"));
  runAndCaptureOutput("strip", ["-o", join(to, "bin/node"), process.execPath]);
}

function packApp(to: string): void {
  copyPackages(join(root, "node_modules"), join(to, "tree/node_modules"));
}

/** The exporters' graphs; of SmolLM2 and Qwen3 only the tokenizers, because models of their shapes are generated there. */
function packModels(to: string): void {
  const exported = modelFolder("exported");
  const smolLm2 = modelFolder("smollm2-135m-instruct");
  if (!exported || !smolLm2)
    throw new Error(
      "Set MIDTOKEN_MODELS to the folder of test models: graphs and tokenizers are packed of it.",
    );
  cpSync(exported, join(to, "models/exported"), { recursive: true });
  const tokenizer = join(to, "models/smollm2-135m-instruct");
  mkdirSync(tokenizer, { recursive: true });
  for (const { name } of readdirSync(smolLm2, { withFileTypes: true }).filter((entry) => entry.isFile()))
    copyFileSync(join(smolLm2, name), join(tokenizer, name));
  const qwen3 = folderBesideModels("tokenizers/qwen3-0.6b");
  if (qwen3) cpSync(qwen3, join(to, "tokenizers/qwen3-0.6b"), { recursive: true });
}

function piecesOf(group: Group, archive: string): (ArchivePiece & { readonly content: Buffer })[] {
  const whole = readFileSync(archive);
  return Array.from({ length: Math.ceil(whole.length / pieceBytes) }, (_, i) => {
    const content = whole.subarray(i * pieceBytes, (i + 1) * pieceBytes);
    const name = `${group}.${String(i).padStart(3, "0")}`;
    return {
      group,
      name,
      bytes: content.length,
      sha256: createHash("sha256").update(content).digest("hex"),
      content,
    };
  });
}

/** Bytes of the files in every call: tracked files, and untracked files that git does not ignore. */
function workingTreeBytes(): number {
  const files = runAndCaptureOutput(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    root,
  ).split("\0");
  return files.reduce((sum, file) => {
    const path = join(root, file);
    return file !== "" && existsSync(path) ? sum + statSync(path).size : sum;
  }, 0);
}

function writeCalls(
  calls: readonly (readonly ArchivePiece[])[],
  pieces: readonly (ArchivePiece & { content: Buffer })[],
): void {
  const fresh = `${target}.part`;
  rmSync(fresh, { recursive: true, force: true });
  const contents = new Map(pieces.map(({ name, content }) => [name, content]));
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  for (const [i, call] of calls.entries()) {
    const folder = join(fresh, `call${i + 1}`);
    mkdirSync(join(folder, "pieces"), { recursive: true });
    for (const { name } of call) writeFileSync(join(folder, "pieces", name), contents.get(name) ?? "");
    writeFileSync(join(folder, "manifest"), manifestText(pieces));
    writeFileSync(join(folder, "lock"), `${lock}\n`);
  }
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}
