/** A store in a folder on this machine's disk. Engines of several processes may share it. */
import { createHash, randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type EngineStore,
  entriesBeyond,
  type StoredEntry,
  type StoredKind,
  type StoreLimits,
  storedKinds,
} from "../../api/store/engine-store.ts";
import { storeFailedError } from "../../api/store/stored-json.ts";

export interface StoreOptions {
  readonly limits: StoreLimits;
  /** Milliseconds after which traces and responses expire. Mods do not expire. */
  readonly lifetime: number;
}

interface StoredFile extends StoredEntry {
  readonly usedAt: number;
  readonly inode: number;
}

/** A file contains the id as a line of JSON, then the entry's bytes. Its name is the id's hash, its modification time the last use. */
const endOfId = "\n".charCodeAt(0);
const longestHead = 4_096;

export class FolderStore implements EngineStore {
  readonly name: string;
  readonly #folder: string;
  readonly #options: StoreOptions;

  private constructor(folder: string, options: StoreOptions) {
    this.name = folder;
    this.#folder = folder;
    this.#options = options;
  }

  /** Makes the folder if it does not exist. @throws ApiError, 503, if it cannot be written */
  static async open(folder: string, options: StoreOptions): Promise<FolderStore> {
    const store = new FolderStore(folder, options);
    await store.#trying("make its folders", async () => {
      // Only this user may read it, because it contains prompts and outputs.
      for (const kind of storedKinds) await mkdir(join(folder, kind), { recursive: true, mode: 0o700 });
    });
    return store;
  }

  get(kind: StoredKind, id: string): Promise<Uint8Array | null> {
    return this.#trying(`read the ${kind} "${id}"`, async () => {
      const path = this.#pathOf(kind, id);
      const file = await fileAt(path);
      if (!file || this.#isOver(kind, file)) return null;
      if (file.bytes > this.#options.limits[kind].bytes + longestHead) return null;
      const bytes = await unlessMissing(() => readFile(path));
      return bytes && idIn(bytes) === id ? new Uint8Array(bytes.subarray(bytes.indexOf(endOfId) + 1)) : null;
    });
  }

  set(kind: StoredKind, id: string, bytes: Uint8Array): Promise<void> {
    return this.#trying(`write the ${kind} "${id}"`, async () => {
      const path = this.#pathOf(kind, id);
      const partial = `${path}.${randomUUID()}.partial`;
      const head = new TextEncoder().encode(`${JSON.stringify(id)}\n`);
      try {
        // Write to a temporary file, then rename: readers see the whole file or none.
        await writeFile(partial, Buffer.concat([head, bytes]), { flag: "wx", mode: 0o600 });
        // The file system's own clock can be a tick or more behind the clock that `touch` reads.
        const now = new Date();
        await utimes(partial, now, now);
        await rename(partial, path);
      } catch (cause) {
        await rm(partial, { force: true });
        throw cause;
      }
      await this.#makeRoom(kind);
    });
  }

  touch(kind: StoredKind, id: string): Promise<void> {
    return this.#trying(`save the time at which the ${kind} "${id}" was last used`, async () => {
      const now = new Date();
      await unlessMissing(() => utimes(this.#pathOf(kind, id), now, now));
    });
  }

  delete(kind: StoredKind, id: string): Promise<boolean> {
    return this.#trying(`delete the ${kind} "${id}"`, async () => {
      const isThere = (await this.get(kind, id)) !== null;
      await rm(this.#pathOf(kind, id), { force: true });
      return isThere;
    });
  }

  list(kind: StoredKind): Promise<readonly string[]> {
    return this.#trying(`list its ${kind}s`, async () => {
      const ids: string[] = [];
      for (const file of await this.#files(kind)) {
        const id = this.#isOver(kind, file) ? null : await idAt(file.id);
        if (id !== null && this.#pathOf(kind, id) === file.id) ids.push(id);
      }
      return ids;
    });
  }

  async close(): Promise<void> {}

  #pathOf(kind: StoredKind, id: string): string {
    return join(this.#folder, kind, createHash("sha256").update(id).digest("hex"));
  }

  #isOver(kind: StoredKind, { usedAt }: StoredFile): boolean {
    return kind !== "mod" && Date.now() - usedAt > this.#options.lifetime;
  }

  /** The files of a kind with their paths as ids, sorted by last use, oldest first. */
  async #files(kind: StoredKind): Promise<readonly StoredFile[]> {
    const names = await readdir(join(this.#folder, kind));
    const paths = names.filter((name) => /^[0-9a-f]{64}$/.test(name));
    const files = await Promise.all(paths.map((name) => fileAt(join(this.#folder, kind, name))));
    return files.filter((file) => file !== null).sort((one, other) => one.usedAt - other.usedAt);
  }

  async #makeRoom(kind: StoredKind): Promise<void> {
    const files = await this.#files(kind);
    const over = files.filter((file) => this.#isOver(kind, file));
    const others = files.filter((file) => !over.includes(file));
    for (const file of [...over, ...entriesBeyond(others, this.#options.limits[kind])])
      await removeUnlessChanged(file);
  }

  async #trying<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      throw storeFailedError(this, what, error);
    }
  }
}

/** Null if the path is not a regular file. */
async function fileAt(path: string): Promise<StoredFile | null> {
  const found = await unlessMissing(() => stat(path));
  return found?.isFile() ? { id: path, bytes: found.size, usedAt: found.mtimeMs, inode: found.ino } : null;
}

/**
 * Deletes a file that was listed, unless an engine has written or used the entry since. The file is renamed before it is
 * compared: between a comparison and a deletion another process could put a newer file at the path.
 */
async function removeUnlessChanged(listed: StoredFile): Promise<void> {
  const isListed = (file: StoredFile | null): boolean =>
    file?.usedAt === listed.usedAt && file.inode === listed.inode;
  if (!isListed(await fileAt(listed.id))) return;
  const aside = `${listed.id}.${randomUUID()}.partial`;
  if ((await unlessMissing(() => rename(listed.id, aside).then(() => true))) === null) return;
  if (!isListed(await fileAt(aside))) await putBack(aside, listed.id);
  await rm(aside, { force: true });
}

/** Unlike rename, link replaces no file: a file at the path by now is newer still. */
async function putBack(aside: string, path: string): Promise<void> {
  try {
    await link(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    // A file system without hard links.
    await rename(aside, path);
  }
}

async function idAt(path: string): Promise<string | null> {
  const file = await unlessMissing(() => open(path));
  if (!file) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestHead), 0, longestHead, 0);
    return idIn(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Null if this store did not write the bytes. */
function idIn(bytes: Buffer): string | null {
  const end = bytes.indexOf(endOfId);
  try {
    const id: unknown = JSON.parse(bytes.subarray(0, Math.max(0, end)).toString("utf8"));
    return typeof id === "string" ? id : null;
  } catch {
    return null;
  }
}

/** Null if the file does not exist, because another process may have deleted it. */
async function unlessMissing<Value>(work: () => Promise<Value>): Promise<Value | null> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
