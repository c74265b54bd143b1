/** A model's folder on the user's disk, picked or dropped: finds the files of the model and names it. */
import type { PickedFiles } from "../../../runtime/session/page-side/available-weights.ts";
import type { ModelReference } from "../../../runtime/session/shared/protocol.ts";
import { pickedScheme } from "./picked-address.ts";

export interface PickedFolder {
  readonly reference: ModelReference;
  readonly files: PickedFiles;
}

/** A file with its path, whose first part is the folder that was picked. */
export interface PathFile {
  readonly path: string;
  readonly file: File;
}

/** The model in the picked folder or in a folder inside it, or a sentence that says why there is none. */
export function findModelInFolder(picked: readonly PathFile[]): PickedFolder | string {
  const [top = "the folder"] = picked[0]?.path.split("/") ?? [];
  const configs = picked
    .map(({ path }) => path.split("/"))
    .filter((names) => names.at(-1) === "config.json")
    .sort((one, other) => one.length - other.length);
  const [config, second] = configs;
  if (!config) {
    return `There is no config.json in ${top}. Pick a model folder: it contains config.json, tokenizer.json and a folder named onnx.`;
  }
  if (second?.length === config.length) {
    const names = configs.filter(({ length }) => length === config.length).map((names) => names.at(-2));
    return `There are several models in ${top}: ${names.join(", ")}. Pick the folder of one model.`;
  }
  const prefix = config.slice(0, -1).join("/");
  const inside = picked.filter(({ path }) => path.startsWith(`${prefix}/`));
  const files = new Map(inside.map(({ path, file }) => [path.slice(prefix.length + 1), file]));
  const id = config.at(-2) ?? top;
  const url = `${pickedScheme}/${encodeURIComponent(id)}/${fingerprint(files)}/`;
  return { reference: { id, url, revision: null, dtype: { webgpu: "auto", wasm: "auto" } }, files };
}

/** A digest of the files' names, sizes and times, so that folders with one name and different files are different models. */
function fingerprint(files: ReadonlyMap<string, File>): string {
  const descriptions = [...files].map(([path, { size, lastModified }]) => `${path} ${size} ${lastModified}`);
  let hash = 0;
  for (const character of descriptions.sort().join("\n"))
    hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  return hash.toString(36);
}

/** Files of an input that picks folders. */
export function filesOfInput(files: FileList): PathFile[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath, file }));
}

/** A folder with more files is no model's folder. */
const mostFiles = 2000;

/**
 * The files of dropped entries. Entries can be asked for only until the event ends: the caller calls `droppedEntries`
 * first.
 * @throws Error if an entry cannot be read, or there are too many.
 */
export async function filesOfEntries(entries: readonly FileSystemEntry[]): Promise<PathFile[]> {
  const found: PathFile[] = [];
  const waiting = [...entries];
  for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
    const path = entry.fullPath.replace(/^\//, "");
    if (entry.isFile) {
      const file = entry as FileSystemFileEntry;
      found.push({ path, file: await new Promise<File>((resolve, reject) => file.file(resolve, reject)) });
    } else {
      waiting.push(...(await entriesIn(entry as FileSystemDirectoryEntry)));
    }
    if (found.length + waiting.length > mostFiles) {
      throw new Error(
        `There are more than ${mostFiles} files in the folder, so it is not a model folder. Pick a folder that contains config.json.`,
      );
    }
  }
  return found;
}

/** Reads all entries. The browser's reader returns some entries per call, and none at the end. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

export function droppedEntries(dropped: DataTransfer): FileSystemEntry[] {
  return [...dropped.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
}
