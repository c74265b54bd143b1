/** A kind of entries in a workspace file that a feature of the page adds, for example vectors. */
import type { Stores } from "../store/stores.ts";
import type { Undo } from "../store/take-back.ts";

/** The known fields of an object in the file, and of the objects within it. */
export interface FileShape {
  readonly fields: readonly string[];
  /** Objects and lists of objects, by the field that holds them. */
  readonly within?: Readonly<Record<string, FileShape>>;
}

/** The page passes each method only entries that `parse` or `entries` of the same part returned. */
export interface WorkspacePart<Entry = unknown> {
  /** The field of the file that lists the entries: "vectors". */
  readonly field: string;
  /** The name of one entry in sentences: "vector". */
  readonly noun: string;
  /** The most entries that this browser saves. */
  readonly most: number;
  readonly shape: FileShape;
  /** Null for a value that is no entry. */
  parse(value: unknown): Entry | null;
  /** A text by which an entry of the file and an entry of this browser are the same. */
  textOf(entry: Entry): string;
  /** The entries of this browser, in the order of the file. */
  entries(stores: Stores): readonly Entry[];
  /** Returns a function that ends the subscription. */
  subscribe(stores: Stores, onChange: () => void): () => void;
  add(stores: Stores, entries: readonly Entry[]): readonly Undo[];
}
