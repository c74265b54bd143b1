/** A model's repository as the test hub holds it: its files with their sizes and hashes, and the commit that names them all. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** A folder on this machine, or files by path. */
export type HubContent = string | ReadonlyMap<string, Uint8Array>;

/** Read at each request, so tests may change it. */
export interface HubRepository {
  /** What the branch `main` holds. */
  readonly main: HubContent;
  /** What other branches and tags hold. Every content is also found by its commit. */
  readonly revisions?: Readonly<Record<string, HubContent>>;
  /** As the model card has it, for example `apache-2.0`. */
  readonly licence?: string;
  /** Its files are refused to whoever has not accepted its terms. */
  readonly gated?: boolean;
  /** The access token of the one account that may read it. Others are told that there is no such model, or that it is gated. */
  readonly token?: string;
}

export interface HubFile {
  readonly path: string;
  readonly size: number;
  /** Large files are kept apart (Git LFS): they are redirected to another host and have a SHA-256 as their name. */
  readonly isLarge: boolean;
  /** All of it, or from `start` to `end` (both included). */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Files of this size are kept apart whatever they are called, as on the hub. */
const mostPlainBytes = 10e6;
/** Names that the hub's `.gitattributes` keep apart. */
const largeNames = /\.(onnx|onnx_data(_\d+)?|bin|safetensors|gguf)$/;

/** The content's files, sorted by path; without the dotfiles of a folder. */
export async function filesOf(content: HubContent): Promise<HubFile[]> {
  const files =
    typeof content === "string"
      ? await filesBelow(content)
      : [...content].map(([path, bytes]): HubFile => hubFile(path, bytes.length, pieceOf(bytes)));
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function hubFile(path: string, size: number, read: HubFile["read"]): HubFile {
  return { path, size, isLarge: largeNames.test(path) || size > mostPlainBytes, read };
}

function pieceOf(bytes: Uint8Array): HubFile["read"] {
  return async function* read(start, end) {
    const step = 65_536;
    for (let i = start; i <= end; i += step) yield bytes.subarray(i, Math.min(i + step, end + 1));
  };
}

async function filesBelow(folder: string): Promise<HubFile[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files: HubFile[] = [];
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).split(sep).join("/");
    if (path.split("/").some((name) => name.startsWith("."))) continue;
    // A link is followed: the shared models may be linked into a folder.
    const info = await stat(file).catch(() => null);
    if (!info?.isFile()) continue;
    files.push(
      hubFile(path, info.size, (start, end) =>
        info.size === 0 ? pieceOf(new Uint8Array())(0, -1) : createReadStream(file, { start, end }),
      ),
    );
    versions.set(files.at(-1) as HubFile, `${file} ${info.size} ${info.mtimeMs}`);
  }
  return files;
}

/** What a file on disk was when it was listed: its hash holds as long as this does. */
const versions = new WeakMap<HubFile, string>();
const hashes = new Map<string, Promise<string>>();

/** SHA-256 of a large file, Git's hash of another, in hex digits. */
export function hashOf(file: HubFile): Promise<string> {
  const version = versions.get(file);
  const known = version === undefined ? undefined : hashes.get(version);
  if (known) return known;
  const hash = computeHash(file);
  if (version !== undefined) hashes.set(version, hash);
  return hash;
}

async function computeHash(file: HubFile): Promise<string> {
  const hash = file.isLarge ? createHash("sha256") : createHash("sha1").update(`blob ${file.size}\0`);
  for await (const piece of file.read(0, file.size - 1)) hash.update(piece);
  return hash.digest("hex");
}

/** Names the content: 40 hex digits. It changes whenever a file does. */
export async function commitOf(files: readonly HubFile[]): Promise<string> {
  const hash = createHash("sha1");
  for (const file of files) {
    const version = versions.get(file);
    hash.update(`${file.path} ${version ?? (await hashOf(file))}\n`);
  }
  return hash.digest("hex");
}

/** A content of the repository that a revision names. */
export interface HubSnapshot {
  readonly commit: string;
  readonly files: readonly HubFile[];
}

/** What a branch, a tag or a commit (also its first seven digits or more) names; null if it names nothing. */
export async function snapshotOf(repository: HubRepository, revision: string): Promise<HubSnapshot | null> {
  const { main, revisions = {} } = repository;
  const other = Object.hasOwn(revisions, revision) ? revisions[revision] : null;
  const named = revision === "main" ? main : other;
  if (named) {
    const files = await filesOf(named);
    return { files, commit: await commitOf(files) };
  }
  if (!/^[0-9a-f]{7,40}$/.test(revision)) return null;
  for (const content of [main, ...Object.values(revisions)]) {
    const files = await filesOf(content);
    const commit = await commitOf(files);
    if (commit.startsWith(revision)) return { files, commit };
  }
  return null;
}
