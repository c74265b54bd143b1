/** The saved experiments of this browser, with the outcomes of their runs. Every call is one transaction. */
import type { RunOutcome } from "../experiments/outcome.ts";
import type { RunsChangeChannel } from "./changes.ts";
import type { Removal } from "./removed-runs.ts";
import { parseExperimentRow, parseOutcomeRow, readRows } from "./rows.ts";
import type { RunMetadata, RunTexts } from "./run-metadata.ts";
import type { RunsDatabase, SavedExperiment } from "./schema.ts";
import { isInAnyStore, keysBeginningWith as outcomesOf, writeInTransaction } from "./write.ts";

export type { SavedExperiment };

export interface ExperimentRunToSave {
  readonly metadata: RunMetadata;
  /** The text that the search of the history reads. */
  readonly texts: RunTexts;
  /** The trace as a `.trace` file has it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A run of an experiment, as the history lists it. */
export interface ExperimentRun extends RunMetadata {
  /** The name of the experiment. */
  readonly experiment: string;
}

/** @throws RunsOutdatedError from every call, once another tab has a newer Midtoken. */
export interface ExperimentRepository {
  /** Newest first. */
  list(): Promise<readonly SavedExperiment[]>;
  /** Null if the experiment is not saved, or was deleted. */
  find(id: string): Promise<SavedExperiment | null>;
  /** The outcomes of the finished runs, in the order of their numbers. `known`: numbers of outcomes to leave out. */
  outcomes(id: string, known?: ReadonlySet<number>): Promise<readonly RunOutcome[]>;
  /** The runs of all listed experiments that this browser has, newest first. */
  runs(): Promise<readonly ExperimentRun[]>;
  /** `outcomes`: the outcomes that the experiment's file has. */
  add(saved: SavedExperiment, outcomes?: readonly RunOutcome[]): Promise<void>;
  /** Gives the experiment another name. */
  rename(id: string, name: string): Promise<void>;
  /**
   * Saves the outcome of a run. Nothing changes if another tab has saved this outcome already, or if the experiment was
   * deleted.
   */
  addOutcome(id: string, outcome: RunOutcome, run: ExperimentRunToSave): Promise<void>;
  /** Takes the experiment out of the list; `restore` puts it back, until `purge` has deleted it for good. */
  remove(id: string): Promise<Removal>;
  /** False if the experiment was deleted for good. */
  restore(id: string): Promise<boolean>;
  /**
   * Deletes removed experiments for good, with their runs: the experiment of one removal, or all experiments that were removed
   * before a time. An experiment that was restored, or removed again later, stays. A run stays while the history or a tab needs
   * it.
   */
  purge(which: Removal | { readonly before: number }): Promise<void>;
}

export function createExperimentRepository(
  database: () => Promise<RunsDatabase>,
  changes: RunsChangeChannel,
): ExperimentRepository {
  /** Changes a saved experiment. */
  const change = async (id: string, make: (saved: SavedExperiment) => SavedExperiment): Promise<boolean> => {
    const transaction = (await database()).transaction("experiments", "readwrite");
    const saved = parseExperimentRow(await transaction.store.get(id));
    await writeInTransaction(transaction, [() => saved && transaction.store.put(make(saved), id)]);
    if (saved) changes.tellAllOf(id);
    return saved !== null;
  };
  return {
    async list() {
      const tellDamage = () => changes.tell({ type: "damaged" });
      const all = await readRows(await database(), "experiments", parseExperimentRow, tellDamage);
      return all.filter(({ removedAt }) => removedAt === null).toSorted((a, b) => b.when - a.when);
    },
    async find(id) {
      const saved = parseExperimentRow(await (await database()).get("experiments", id));
      return saved?.removedAt === null ? saved : null;
    },
    async outcomes(id, known = new Set()) {
      const { store } = (await database()).transaction("outcomes");
      if (known.size === 0) return (await store.getAll(outcomesOf(id))).flatMap(outcomesIn);
      const fresh = (await store.getAllKeys(outcomesOf(id))).filter(([, number]) => !known.has(number));
      const saved = await Promise.all(fresh.map((key) => store.get(key)));
      return saved.flatMap(outcomesIn);
    },
    runs: async () => runsOf(await database()),
    async add(saved, outcomes = []) {
      const transaction = (await database()).transaction(["experiments", "outcomes"], "readwrite");
      const store = transaction.objectStore("outcomes");
      await writeInTransaction(transaction, [
        () => transaction.objectStore("experiments").put({ ...saved, made: outcomes.length }, saved.id),
        ...outcomes.map(
          (outcome) => () => store.put({ outcome, metadata: null }, [saved.id, outcome.number]),
        ),
      ]);
      changes.tellAllOf(saved.id);
    },
    async rename(id, name) {
      await change(id, (saved) => ({ ...saved, experiment: { ...saved.experiment, name } }));
    },
    async addOutcome(id, outcome, run) {
      const transaction = (await database()).transaction(
        ["experiments", "outcomes", "texts", "traces"],
        "readwrite",
      );
      const experiments = transaction.objectStore("experiments");
      const outcomes = transaction.objectStore("outcomes");
      const [row, known] = await Promise.all([experiments.get(id), outcomes.getKey([id, outcome.number])]);
      const saved = parseExperimentRow(row);
      if (!saved || known) return;
      await writeInTransaction(transaction, [
        () => experiments.put({ ...saved, made: saved.made + 1 }, id),
        () => outcomes.put({ outcome, metadata: run.metadata }, [id, outcome.number]),
        () => transaction.objectStore("texts").put({ ...run.texts, id: run.metadata.id }, run.metadata.id),
        () => transaction.objectStore("traces").put(run.bytes, run.metadata.id),
      ]);
      changes.tellAllOf(id);
    },
    async remove(id) {
      const removedAt = Date.now();
      const isThere = await change(id, (saved) => ({ ...saved, removedAt }));
      return { ids: isThere ? [id] : [], removedAt };
    },
    restore: (id) => change(id, (saved) => ({ ...saved, removedAt: null })),
    purge: async (which) => purge(await database(), which),
  };
}

async function runsOf(database: RunsDatabase): Promise<readonly ExperimentRun[]> {
  const saved = (await database.getAll("experiments"))
    .map(parseExperimentRow)
    .filter((saved) => saved !== null);
  const listed = saved.filter(({ removedAt }) => removedAt === null);
  const rows = await Promise.all(listed.map(({ id }) => database.getAll("outcomes", outcomesOf(id))));
  const runs = rows.flatMap((own, at) => {
    const experiment = listed[at]?.experiment.name ?? "";
    return own.flatMap((row): readonly ExperimentRun[] => {
      const metadata = parseOutcomeRow(row)?.metadata;
      return metadata ? [{ ...metadata, experiment }] : [];
    });
  });
  return runs.toSorted((a, b) => b.when - a.when);
}

const outcomesIn = (row: unknown) => parseOutcomeRow(row)?.outcome ?? [];

async function purge(database: RunsDatabase, which: Removal | { readonly before: number }): Promise<void> {
  const transaction = database.transaction(
    ["experiments", "outcomes", "metadata", "texts", "traces", "importedRuns", "removed"],
    "readwrite",
  );
  const experiments = transaction.objectStore("experiments");
  const outcomes = transaction.objectStore("outcomes");
  const isWanted = ({ id, removedAt }: SavedExperiment) => {
    if (removedAt === null) return false;
    if ("before" in which) return removedAt < which.before;
    return removedAt === which.removedAt && which.ids.includes(id);
  };
  const gone = (await experiments.getAll())
    .map(parseExperimentRow)
    .filter((saved) => saved !== null)
    .filter(isWanted);
  const runs = (await Promise.all(gone.map(({ id }) => outcomes.getAll(outcomesOf(id)))))
    .flat()
    .flatMap((row) => parseOutcomeRow(row)?.metadata?.id ?? []);
  const elsewhere = [
    transaction.objectStore("metadata"),
    transaction.objectStore("importedRuns"),
    transaction.objectStore("removed"),
  ];
  const isNeeded = await Promise.all(runs.map((id) => isInAnyStore(elsewhere, id)));
  await writeInTransaction(transaction, [
    ...gone.flatMap(({ id }) => [() => experiments.delete(id), () => outcomes.delete(outcomesOf(id))]),
    ...runs.flatMap((id, at) =>
      isNeeded[at] === true
        ? []
        : [
            () => transaction.objectStore("texts").delete(id),
            () => transaction.objectStore("traces").delete(id),
          ],
    ),
  ]);
}
