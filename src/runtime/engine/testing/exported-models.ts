/** The graphs in the folder of test models (`MIDTOKEN_MODELS`), for tests in Node. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { modelFolder } from "../../../../scripts/models-folder.ts";
import { type ExportedGraph, graphsOf } from "./graph-folder.ts";

/** All graphs of `exported`. Empty if the folder is missing: the caller then adds a skipped test. */
export function exportedGraphs(): ExportedGraph[] {
  const exported = modelFolder("exported");
  if (exported === null) return [];
  return readdirSync(exported, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => graphsOf(join(exported, entry.name)));
}
