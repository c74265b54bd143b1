/**
 * The stored models: a folder for each model and version. A model has a version in use and, while it is downloaded, a newer
 * version.
 */
import { formatBytes } from "../../../core/base/number-text.ts";
import { CachedFolder, newFolderRecord } from "./cached-folder.ts";
import { defaultBlockBytes, storedBytesOf } from "./file-record.ts";
import type { FileTree } from "./file-tree.ts";
import type { HubVersion } from "./hub-version.ts";
import type { Locks } from "./locks.ts";
import { sha256 } from "./sha256.ts";

/** A model's folder with stored files. */
export interface CachedModel {
  /** Address of the folder; ends in `/`. */
  readonly url: string;
  /** Stored bytes, of all versions of the folder. */
  readonly bytes: number;
  /** Number of complete files of the version in use. */
  readonly files: number;
  /** Partly downloaded files. The rest is downloaded when the file is needed. */
  readonly partialFiles: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly size: number | null;
  }[];
  /** The commit of the version in use; null if unknown. */
  readonly commit: string | null;
  /** The hub's commit at the last check, if it is another one; otherwise null. */
  readonly newer: string | null;
}

/** Returns the bytes of free storage; null if unknown. */
export type FreeStorage = () => Promise<number | null>;

export interface ModelStoreOptions {
  readonly tree: FileTree;
  readonly locks: Locks;
  readonly room?: FreeStorage;
  /** The storage's name in messages. */
  readonly name?: string;
  readonly blockBytes?: number;
}

/** Bytes that stay free for the user's runs and settings. */
const reservedBytes = 50e6;

export class ModelStore {
  readonly locks: Locks;
  readonly name: string;
  readonly blockBytes: number;
  readonly #tree: FileTree;
  readonly #room: FreeStorage;

  constructor(options: ModelStoreOptions) {
    this.#tree = options.tree;
    this.locks = options.locks;
    this.blockBytes = options.blockBytes ?? defaultBlockBytes;
    this.#room = options.room ?? (async () => null);
    this.name = options.name ?? "the browser's storage";
  }

  /** The version of a folder that is in use; null if no file of it is stored. */
  async current(url: string): Promise<CachedFolder | null> {
    const versions = await this.#versions(url);
    return versions.find(({ record }) => record.isCurrent) ?? null;
  }

  /** The version in use. If there is none, a new version, which is written when its first file arrives. */
  async currentOr(url: string, version: () => Promise<HubVersion | null>): Promise<CachedFolder> {
    return (await this.current(url)) ?? this.#folder(url, await version(), true);
  }

  /** A new version that is stored beside the version in use. */
  async beside(url: string, version: HubVersion): Promise<CachedFolder> {
    return this.#folder(url, version, false);
  }

  async #folder(url: string, version: HubVersion | null, isCurrent: boolean): Promise<CachedFolder> {
    const place = `${await folderName(url)}-${version?.commit ?? "plain"}`;
    return (
      (await CachedFolder.read(this.#tree, place)) ??
      new CachedFolder(this.#tree, place, newFolderRecord(url, version, isCurrent), false)
    );
  }

  /** Makes a complete version the version in use, and removes the old version. */
  async replace(folder: CachedFolder): Promise<void> {
    const { url } = folder.record;
    const others = (await this.#versions(url)).filter(({ place }) => place !== folder.place);
    // Saved before the old version is removed: if the browser stops in between, two complete versions are in use.
    await folder.save({ isCurrent: true, newer: null });
    for (const other of others) await other.remove();
  }

  async #versions(url: string): Promise<readonly CachedFolder[]> {
    const name = await folderName(url);
    return this.#read((place) => place.startsWith(`${name}-`));
  }

  async #read(isWanted: (place: string) => boolean): Promise<readonly CachedFolder[]> {
    const places = (await this.#tree.list("")).filter(isWanted).sort();
    const folders = await Promise.all(places.map((place) => CachedFolder.read(this.#tree, place)));
    return folders.filter((folder): folder is CachedFolder => folder !== null);
  }

  /** All stored models. @throws an error of the storage */
  async list(): Promise<readonly CachedModel[]> {
    const models = new Map<string, CachedModel>();
    for (const folder of await this.#read(() => true)) {
      const { url, commit, newer, isCurrent } = folder.record;
      const records = await folder.fileRecords();
      const bytes = records.reduce((sum, record) => sum + storedBytesOf(record), 0);
      const other = models.get(url);
      const whole = records.filter(({ state }) => state === "whole").length;
      const partialFiles = records
        .filter(({ state }) => state === "begun")
        .map((record) => ({ path: record.path, bytes: storedBytesOf(record), size: record.facts.size }));
      const inUse = isCurrent ? { files: whole, partialFiles, commit, newer } : null;
      const none = { files: 0, partialFiles: [], commit: null, newer: null };
      models.set(url, { ...none, ...other, url, ...inUse, bytes: bytes + (other?.bytes ?? 0) });
    }
    return [...models.values()].filter(({ bytes }) => bytes > 0);
  }

  /** A complete file of the version in use, by its address; null if it is not stored. Nothing is downloaded. */
  async openByAddress(url: string): Promise<Blob | null> {
    const folder = folderOfFile(url);
    const path = decodeURIComponent(url.slice(folder.length));
    const cachedFile = await (await this.current(folder))?.file(path);
    const record = await cachedFile?.record();
    const opened = record?.state === "whole" ? await cachedFile?.open(record) : null;
    return opened instanceof Blob ? opened : null;
  }

  /** Removes all versions. */
  async remove(url: string): Promise<void> {
    await Promise.all((await this.#versions(url)).map((folder) => folder.remove()));
  }

  /** A sentence that says why a file of `bytes` bytes does not fit; null if it fits, or if the free space is unknown. */
  async shortage(file: string, bytes: number): Promise<string | null> {
    const room = await this.#room();
    if (room === null || bytes + reservedBytes <= room) return null;
    return `${file} needs ${formatBytes(bytes)}, but ${this.name} has room for only ${formatBytes(Math.max(0, room - reservedBytes))} more.`;
  }
}

/** The address of a model's folder, given the address of one of its files. */
export function folderOfFile(url: string): string {
  return url.replace(/(onnx\/)?[^/]*$/, "");
}

async function folderName(url: string): Promise<string> {
  return (await sha256(url)).slice(0, 32);
}
