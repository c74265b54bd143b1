/** One tab's connection to the database of runs. It is opened at the first use, and again if the browser closed it. */
import { openDB } from "idb";
import { type Migration, migrations, type RunsDatabase, type RunsSchema } from "./schema.ts";

/** Another tab has a newer Midtoken, whose database this version cannot read. */
export class RunsOutdatedError extends Error {
  override name = "RunsOutdatedError";
  constructor() {
    super(
      "Midtoken was updated in another tab, so this tab cannot save or read runs. If the run is not in the history, save it as a file. Then reload.",
    );
  }
}

export interface RunsConnection {
  /** @throws RunsOutdatedError once another tab has a newer Midtoken; what IndexedDB throws otherwise. */
  database(): Promise<RunsDatabase>;
  close(): void;
}

interface ConnectionOptions {
  readonly name: string;
  /** The database was closed for a newer Midtoken; this page does not open it again. */
  readonly onOutdated: () => void;
  /** An older Midtoken in another tab does not close the database: the page waits. */
  readonly onBlocked: () => void;
  /** Steps of other versions, for tests. */
  readonly steps?: readonly Migration[];
}

export function connectToRunsDatabase({
  name,
  onOutdated,
  onBlocked,
  steps = migrations,
}: ConnectionOptions): RunsConnection {
  let opened: Promise<RunsDatabase> | null = null;
  let isOutdated = false;
  const outdate = () => {
    if (!isOutdated) onOutdated();
    isOutdated = true;
    opened = null;
  };
  const open = async () => {
    try {
      return await openDB<RunsSchema>(name, steps.length, {
        async upgrade(database, from, _to, upgrade) {
          for (const step of steps.slice(from)) await step(database, upgrade);
        },
        blocked: onBlocked,
        blocking(_current, wanted, event) {
          (event.target as IDBDatabase).close();
          opened = null;
          // Null if the database is deleted, for example because the user clears the data of the site: a new database
          // is then made.
          if (wanted !== null) outdate();
        },
        terminated() {
          opened = null;
        },
      });
    } catch (cause) {
      opened = null;
      if (!(cause instanceof DOMException && cause.name === "VersionError")) throw cause;
      outdate();
      throw new RunsOutdatedError();
    }
  };
  return {
    database() {
      if (isOutdated) return Promise.reject(new RunsOutdatedError());
      opened ??= open();
      return opened;
    },
    close() {
      void opened?.then(
        (database) => database.close(),
        () => {},
      );
      opened = null;
    },
  };
}
