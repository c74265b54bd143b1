/** Lists the damaged entries of the database of runs, so that the user can save or delete them. */

import { toBase64Url } from "../../../core/trace/codec/bytes.ts";
import type { DamagedRow, RunRepository } from "../../runs/repository.ts";
import type { DamagedEntry } from "./damage-store.ts";
import type { Stores } from "./stores.ts";

const labels: Readonly<Record<DamagedRow["store"], string>> = {
  metadata: "Run",
  removed: "Deleted run",
  importedRuns: "Imported run",
  experiments: "Experiment",
  outcomes: "Run of an experiment",
  versions: "Version of a mod",
};

type Reporting = Pick<Stores, "runs" | "damage">;

/** Looks through the database, which takes a moment: called once a damaged row was found. */
export async function reportDamagedRuns(stores: Reporting): Promise<void> {
  const { runs, damage } = stores;
  const rows = await runs.damaged();
  damage.getState().report(
    "runs",
    rows.map((row) => ({
      id: JSON.stringify([row.store, row.key]),
      label: labels[row.store],
      why: `${labels[row.store]}: an entry in the database of saved runs cannot be read.`,
      read: () => lineOf(runs, row),
      async remove() {
        await runs.drop(row);
        await reportDamagedRuns(stores);
      },
    })),
  );
}

/** A run whose page was left in its middle and whose pieces make no run. */
export function reportUnreadableLeftover({ runs, damage }: Reporting, id: string, why: string): void {
  const entryId = JSON.stringify(["pieces", id]);
  const others = () => damage.getState().bySource.left.filter((entry) => entry.id !== entryId);
  const entry: DamagedEntry = {
    id: entryId,
    label: "Interrupted run",
    why: `A run that ended when its page was closed cannot be read: ${why}`,
    read: async () => `${jsonOf({ storageKey: ["pieces", id], why, pieces: await runs.rawPieces(id) })}\n`,
    async remove() {
      await runs.dropPieces(id);
      damage.getState().report("left", others());
    },
  };
  damage.getState().report("left", [...others(), entry]);
}

async function lineOf(runs: RunRepository, { store, key, value }: DamagedRow): Promise<string> {
  const trace = typeof key === "string" ? await runs.trace(key) : null;
  return `${jsonOf({ storageKey: [store, key], value: value ?? null, trace })}\n`;
}

/** Bytes as text in base64url, as a workspace file has them. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    each instanceof Uint8Array ? toBase64Url(each) : each,
  );
}
