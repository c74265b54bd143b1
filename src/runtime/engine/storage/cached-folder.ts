/** A model's folder in the store. A folder of the hub is stored at one commit. */
import { isRecord } from "../../../core/base/record.ts";
import { CachedFile } from "./cached-file.ts";
import { type FileRecord, parseJson } from "./file-record.ts";
import type { FileTree } from "./file-tree.ts";
import type { HubFileMetadata, HubVersion } from "./hub-version.ts";
import { sha256 } from "./sha256.ts";

/** The contents of `folder.json`. */
export interface FolderRecord {
  /** The address of the folder as requested; ends in `/`. */
  readonly url: string;
  /** The commit of its files; null if the folder is not on the hub, or the hub did not say. */
  readonly commit: string | null;
  /** False while this newer version is downloaded beside the version in use. */
  readonly isCurrent: boolean;
  /** The hub's metadata of the commit's files; null if the hub gave none. */
  readonly files: Readonly<Record<string, HubFileMetadata>> | null;
  /** The hub's commit at the last check, if it is another one; otherwise null. */
  readonly newer: string | null;
  /** When the hub was last asked for the current commit, in milliseconds since 1970. */
  readonly checkedAt: number | null;
}

export class CachedFolder {
  readonly place: string;
  readonly #tree: FileTree;
  #record: FolderRecord;
  #isStored: boolean;
  #saving: Promise<void> | null = null;

  /** @param isStored whether `folder.json` exists already */
  constructor(tree: FileTree, place: string, record: FolderRecord, isStored: boolean) {
    this.#tree = tree;
    this.place = place;
    this.#record = record;
    this.#isStored = isStored;
  }

  static async read(tree: FileTree, place: string): Promise<CachedFolder | null> {
    const text = await tree.read(`${place}/folder.json`);
    const record = text && parseFolderRecord(await text.text());
    return record && new CachedFolder(tree, place, record, true);
  }

  /** Whether any file of it was written. */
  get isStored(): boolean {
    return this.#isStored;
  }

  get record(): FolderRecord {
    return this.#record;
  }

  async save(changes: Partial<FolderRecord> = {}): Promise<void> {
    this.#record = { ...this.#record, ...changes };
    const text = JSON.stringify(this.#record);
    await this.#tree.write(`${this.place}/folder.json`, new TextEncoder().encode(text));
    this.#isStored = true;
  }

  async file(path: string): Promise<CachedFile> {
    const place = `${this.place}/${(await sha256(path)).slice(0, 32)}`;
    return new CachedFile(this.#tree, place, path, async () => {
      if (this.#isStored) return;
      // Several files of a model start at the same time, so they share one write.
      this.#saving ??= this.save().finally(() => {
        this.#saving = null;
      });
      await this.#saving;
    });
  }

  /** The records of all files that have one. */
  async fileRecords(): Promise<readonly FileRecord[]> {
    const names = (await this.#tree.list(this.place)).filter((name) => name !== "folder.json");
    const records = await Promise.all(
      names.map(async (name) => {
        const text = await this.#tree.read(`${this.place}/${name}/file.json`);
        const value = text && parseJson(await text.text());
        const path = isRecord(value) && typeof value.path === "string" ? value.path : null;
        return path === null ? null : (await this.file(path)).record();
      }),
    );
    return records.filter((record): record is FileRecord => record !== null);
  }

  remove(): Promise<void> {
    return this.#tree.remove(this.place);
  }
}

/** Address of a file in the folder at `folder`. */
export function addressInFolder(folder: string, file: string): string {
  return new URL(file.split("/").map(encodeURIComponent).join("/"), folder).href;
}

/** The record of a folder of which nothing is stored yet. */
export function newFolderRecord(url: string, version: HubVersion | null, isCurrent: boolean): FolderRecord {
  return {
    url,
    isCurrent,
    newer: null,
    checkedAt: null,
    commit: version?.commit ?? null,
    files: version && Object.fromEntries(version.files),
  };
}

/** Null for a text that no version of this page wrote. */
export function parseFolderRecord(text: string): FolderRecord | null {
  const value = parseJson(text);
  if (!isRecord(value) || typeof value.url !== "string" || !URL.canParse(value.url)) return null;
  const { url, commit, isCurrent, files, newer, checkedAt } = value;
  const isName = (each: unknown): each is string | null => each === null || typeof each === "string";
  if (!isName(commit) || !isName(newer) || typeof isCurrent !== "boolean") return null;
  if (checkedAt !== null && typeof checkedAt !== "number") return null;
  if (files !== null && !(isRecord(files) && Object.values(files).every(isHubFileMetadata))) return null;
  return { url, commit, isCurrent, files: files as FolderRecord["files"], newer, checkedAt };
}

function isHubFileMetadata(value: unknown): value is HubFileMetadata {
  if (!isRecord(value) || !Number.isSafeInteger(value.size)) return false;
  return [value.sha256, value.gitHash].every((hash) => hash === null || typeof hash === "string");
}
