/**
 * Finds newer versions of the hub's models, and downloads them when the user asks. Until then the stored version is used.
 */
import { hostInMessages } from "../../../core/base/invalid-address.ts";
import { redactUrlSecrets } from "../../../core/base/without-secrets.ts";
import type { DownloadOptions } from "../download/download.ts";
import { parseHubFolder } from "../download/hub-model-revision.ts";
import { cacheFile } from "./cache-file.ts";
import { addressInFolder, type CachedFolder } from "./cached-folder.ts";
import { copyIntoCachedFile } from "./copy-into.ts";
import { fetchHubVersion, folderAtRevision, type HubVersion } from "./hub-version.ts";
import type { ModelStore } from "./model-store.ts";

type Network = Pick<DownloadOptions, "fetch" | "signal" | "retryDelayMs">;

/** Milliseconds between two requests to the hub for one model. */
const asksEvery = 24 * 60 * 60 * 1000;

/** Reports a newer version if one is known, and sometimes asks the hub in the background. */
export function reportNewerVersion(
  folder: CachedFolder,
  {
    fetch,
    onNotice,
  }: Pick<Network, "fetch"> & { readonly onNotice?: ((notice: string) => void) | undefined },
): void {
  const { newer, checkedAt } = folder.record;
  if (!folder.isStored) return;
  if (newer !== null)
    onNotice?.("A newer version of this model is on Hugging Face; the saved version is still used.");
  else if (Date.now() - (checkedAt ?? 0) >= asksEvery)
    void findNewerVersion(folder, { fetch }).catch(() => undefined);
}

/**
 * Asks the hub whether the folder's revision now has another commit, and stores the answer.
 * @returns the new commit; null if there is none. If the hub does not answer, its last answer. @throws the signal's reason
 */
export async function findNewerVersion(folder: CachedFolder, network: Network): Promise<string | null> {
  const { url, commit } = folder.record;
  // A revision that is a commit never changes.
  if (commit === null || parseHubFolder(url)?.revision === commit) return null;
  const version = await fetchHubVersion(url, network);
  if (version === null) return folder.record.newer;
  const newer = version.commit === commit ? null : version.commit;
  await folder.save({ newer, checkedAt: Date.now() });
  return newer;
}

export interface UpdateOptions extends Network {
  /** Called with the number of stored bytes, and of all bytes. */
  readonly onProgress?: (done: number, all: number) => void;
}

/**
 * Downloads the hub's version of a stored model: those stored files that changed. The new version is used as soon as it is
 * complete; until then, and if the download fails, the old version stays. The next attempt resumes the download.
 * @returns false if the stored version is already the hub's.
 * @throws Error if the hub does not answer or no longer has a file; ModelFileError as `cacheFile` does; the signal's reason.
 */
export async function updateModel(
  store: ModelStore,
  url: string,
  options: UpdateOptions = {},
): Promise<boolean> {
  const { signal, onProgress } = options;
  const current = await store.current(url);
  if (current === null) throw new Error(`No file of ${redactUrlSecrets(url)} is saved.`);
  const version = await fetchHubVersion(url, options);
  if (version === null)
    throw new Error(
      `${hostInMessages(url)} did not report the current version of the model. Try again later.`,
    );
  if (version.commit === current.record.commit) {
    await current.save({ newer: null, checkedAt: Date.now() });
    return false;
  }
  const records = (await current.fileRecords()).filter(({ state }) => state === "whole");
  const paths = records.map(({ path }) => path).filter((path) => isWanted(path, version));
  const all = paths.reduce((sum, path) => sum + (version.files.get(path)?.size ?? 0), 0);
  const done = new Map<string, number>();
  const count = (path: string, bytes: number): void => {
    done.set(path, bytes);
    onProgress?.(
      [...done.values()].reduce((sum, each) => sum + each, 0),
      all,
    );
  };
  const next = await store.beside(url, version);
  for (const path of paths) {
    signal?.throwIfAborted();
    const record = records.find((each) => each.path === path);
    const { sha256 = null, size = 0 } = version.files.get(path) ?? {};
    const isSame = sha256 !== null && sha256 === record?.facts.sha256;
    const same = isSame && record ? await (await current.file(path)).open(record) : null;
    if (
      same instanceof Blob &&
      (await copyIntoCachedFile(await next.file(path), same, store.blockBytes, signal))
    ) {
      count(path, size);
      continue;
    }
    await cacheFile({
      ...options,
      store,
      folder: next,
      file: path,
      kind: "binary",
      maxBytes: size,
      mustStore: true,
      url: addressInFolder(folderAtRevision(url, version.commit), path),
      onProgress: ({ loadedBytes }) => count(path, loadedBytes),
    });
  }
  await store.replace(next);
  return true;
}

/**
 * Whether a stored file must be downloaded in the newer version. @throws Error for weights that the newer version lacks,
 * because it could not be loaded
 */
function isWanted(path: string, { files, commit }: HubVersion): boolean {
  if (files.has(path)) return true;
  if (!path.startsWith("onnx/")) return false;
  throw new Error(
    `The newer version on Hugging Face (commit ${commit.slice(0, 8)}) has no ${path}, so the saved version remains in use. To use the newer version, remove this model and choose it again.`,
  );
}
