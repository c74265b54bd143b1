/** Reads the runs of a branch tree by the indexes of the database, without reading the list of all runs. */

import { parseMetadataRow } from "./rows.ts";
import type { RunMetadata } from "./run-metadata.ts";
import type { RunsDatabase } from "./schema.ts";

/**
 * The metadata of all listed runs of the branch tree of a run: the runs it branches off, their branches, and so on. In no
 * order; empty if the run is not in the list.
 */
export async function readBranchTree(database: RunsDatabase, id: string): Promise<readonly RunMetadata[]> {
  const store = database.transaction("metadata").store;
  const members = new Map<string, RunMetadata>();
  let origin = parseMetadataRow(await store.get(id));
  if (!origin) return [];
  // Records may come from strangers, so their branches may form a circle.
  while (!members.has(origin.id) && origin.branch) {
    members.set(origin.id, origin);
    const above: RunMetadata | null =
      (origin.from === null ? null : parseMetadataRow(await store.get(origin.from))) ??
      parseMetadataRow(await store.index("request").get(origin.branch.requestId));
    if (!above) break;
    origin = above;
  }
  members.set(origin.id, origin);
  const asked = new Set<string>();
  // If the origin was deleted, looks for all runs that branch from it.
  let requests = [...(origin.branch ? [origin.branch.requestId] : []), origin.requestId];
  while (requests.length > 0) {
    const fresh = [...new Set(requests)].filter((request) => request !== "" && !asked.has(request));
    for (const request of fresh) asked.add(request);
    const found = await Promise.all(fresh.map((request) => store.index("parent").getAll(request)));
    const branches = found
      .flat()
      .map(parseMetadataRow)
      .filter((metadata) => metadata !== null);
    for (const branch of branches) members.set(branch.id, branch);
    requests = branches.map(({ requestId }) => requestId);
  }
  return [...members.values()];
}
