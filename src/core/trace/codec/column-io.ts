/**
 * Encodes and decodes records with the same code: `ColumnWriter` puts given values into columns, and `ColumnReader` returns the
 * values that it finds. A predictable value is written as its distance from the prediction, so a column of good predictions is a
 * column of zeros.
 */
import type { RoundingGrid } from "./grids.ts";
import type { ColumnKey } from "./sections.ts";

/**
 * Writes or reads one value after another. A writer must be given each value; a reader ignores what it is given and returns
 * the value read.
 */
export interface ColumnIo {
  /**
   * A whole number. With `guess`, the difference from the guess is written; without `guess`, the number must not be negative.
   */
  whole(column: ColumnKey, value: number | undefined, guess?: number): number;
  /** Any number. A number that lies on the grid near the guess takes one byte. */
  number(column: ColumnKey, value: number | undefined, grid?: RoundingGrid, guess?: number): number;
  /** A float32 number, as its four bytes. */
  float32(column: ColumnKey, value: number | undefined): number;
  /** 16 bits, as two bytes. */
  half(column: ColumnKey, value: number | undefined): number;
  /** A text: its length is in one column, its characters in another. */
  text(lengths: ColumnKey, characters: ColumnKey, value: string | undefined): string;
  /** One option of a fixed list. New options are added at the end of the list only, since links hold an option by its place. */
  choice<const Type>(
    column: ColumnKey,
    value: NoInfer<Type> | undefined,
    options: readonly Type[],
    guess?: NoInfer<Type>,
  ): Type;
  /** Charges `UnpackBudget`, for example 1 for each record or entry of a list; a reader throws when the budget is used up. */
  spend(amount: number): void;
  /** Charges the memory that a value takes after it is read, in bytes: see `traceMemoryBytes`. */
  hold(bytes: number): void;
  /**
   * Charges the entries of a list to the budget and to the memory. `bytes` is the memory of each entry, by default
   * `traceMemoryBytes.entry`.
   */
  enter(entries: number, bytes?: number): void;
  /** Entries of all lists so far. */
  readonly entered: number;
}

/** True or false. */
export function codeFlag(
  io: ColumnIo,
  column: ColumnKey,
  value: boolean | undefined,
  guess = false,
): boolean {
  return io.choice(column, value, [false, true], guess);
}

/** A value or null. */
export function codeNullable<Type>(
  io: ColumnIo,
  column: ColumnKey,
  value: Type | null | undefined,
  code: (value: Type | undefined) => Type,
): Type | null {
  return codeFlag(io, column, value === undefined ? undefined : value !== null)
    ? code(value ?? undefined)
    : null;
}

/** A value or nothing. */
export function codeOptional<Type>(
  io: ColumnIo,
  column: ColumnKey,
  present: boolean,
  value: Type | undefined,
  code: (value: Type | undefined) => Type,
): Type | undefined {
  return codeFlag(io, column, present) ? code(value) : undefined;
}

/** A list: its length, then its entries. */
export function codeList<Type>(
  io: ColumnIo,
  column: ColumnKey,
  value: readonly Type[] | undefined,
  code: (value: Type | undefined, place: number) => Type,
  guess = 0,
): Type[] {
  const length = io.whole(column, value?.length, guess);
  io.enter(length);
  // A list that grows by pushing wastes memory, and the announced length is untrusted: so only short lists are allocated at
  // once.
  const result: Type[] = length <= 16 ? new Array(length) : [];
  for (let place = 0; place < length; place += 1) result[place] = code(value?.[place], place);
  return result;
}
