/** Model id and revision in the address of a folder on the hub. */

export interface HubModelRevision {
  /** The part of the address before the id. */
  readonly root: string;
  readonly id: string;
  /** The revision as the address spells it. */
  readonly revision: string;
}

/** `https://huggingface.co/owner/name/resolve/main/`, also on another server with the hub's layout; null for other addresses. */
export function parseHubFolder(folder: string): HubModelRevision | null {
  const [, root = "", id = "", revision = ""] =
    /^(https?:\/\/[^/]+(?:\/[^/]+)*?)\/([\w.-]+\/[\w.-]+)\/resolve\/([^/]+)\/$/.exec(folder) ?? [];
  return id === "" ? null : { root, id, revision };
}
