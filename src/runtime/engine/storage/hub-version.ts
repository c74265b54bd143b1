/** The hub's metadata of a model's revision: its commit, and the size and hash of each file (https://huggingface.co/docs/hub/api). */

import { readBoundedJson } from "../../../core/base/bounded-body.ts";
import { isRecord } from "../../../core/base/record.ts";
import { parseHubFolder } from "../download/hub-model-revision.ts";

export interface HubFileMetadata {
  readonly size: number;
  /** SHA-256 of a large file, 64 hex digits. */
  readonly sha256: string | null;
  /** Git's hash of a small file, 40 hex digits. */
  readonly gitHash: string | null;
}

export interface HubVersion {
  /** 40 hex digits. */
  readonly commit: string;
  /** All files, by path. */
  readonly files: ReadonlyMap<string, HubFileMetadata>;
}

/** The folder at another revision. */
export function folderAtRevision(folder: string, revision: string): string {
  const place = parseHubFolder(folder);
  return place ? `${place.root}/${place.id}/resolve/${encodeURIComponent(revision)}/` : folder;
}

const commitName = /^[0-9a-f]{40}$/;

/** How many milliseconds the hub may take to answer; then loading continues without the metadata. */
const patienceMs = 15_000;

/** A file takes about 300 bytes of the metadata. */
const mostInfoBytes = 16_000_000;

/** Null if there is no hub at this address, or if it does not answer: files are then checked only by size. @throws the signal's reason */
export async function fetchHubVersion(
  folder: string,
  options: { readonly fetch?: typeof fetch | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<HubVersion | null> {
  const place = parseHubFolder(folder);
  if (!place) return null;
  const { root, id, revision } = place;
  const { signal } = options;
  try {
    const patience = AbortSignal.timeout(patienceMs);
    const response = await (options.fetch ?? fetch)(
      `${root}/api/models/${id}/revision/${revision}?blobs=true`,
      { signal: signal ? AbortSignal.any([signal, patience]) : patience },
    );
    if (response.ok) return parseHubModelInfo(await readBoundedJson(response, mostInfoBytes));
    await response.body?.cancel();
  } catch {
    signal?.throwIfAborted();
  }
  return null;
}

/** Null if the response is invalid. */
export function parseHubModelInfo(value: unknown): HubVersion | null {
  if (!isRecord(value) || typeof value.sha !== "string" || !commitName.test(value.sha)) return null;
  const files = new Map<string, HubFileMetadata>();
  for (const each of Array.isArray(value.siblings) ? value.siblings : []) {
    if (!isRecord(each) || typeof each.rfilename !== "string") return null;
    // The list is useless without sizes.
    if (!Number.isSafeInteger(each.size) || (each.size as number) < 0) return null;
    const lfs = isRecord(each.lfs) ? each.lfs.sha256 : null;
    const blob = lfs === null ? each.blobId : null;
    files.set(each.rfilename, {
      size: each.size as number,
      sha256: typeof lfs === "string" && /^[0-9a-f]{64}$/.test(lfs) ? lfs : null,
      gitHash: typeof blob === "string" && commitName.test(blob) ? blob : null,
    });
  }
  return { commit: value.sha, files };
}
