/** Parts that the suites of the repository share. A check throws on failure. */
import type { RunRepository } from "../repository.ts";

/** One browser's runs, and as many tabs over them as are asked for. */
export interface TestRunTabs {
  readonly name: string;
  tab(): RunRepository;
}

export type RunsCheck = (browser: TestRunTabs) => Promise<void>;

export function expectSame(what: string, actual: unknown, expected: unknown): void {
  const [found, wanted] = [actual, expected].map((value) => JSON.stringify(sorted(value)));
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}

/** The same value with the names of each object in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}

export async function expectFailure(what: string, act: () => Promise<unknown>, error: string): Promise<void> {
  const cause = await act().then(
    () => null,
    (reason: Error) => reason,
  );
  if (cause?.name !== error) throw new Error(`${what}: ${cause?.name ?? "no error"} instead of ${error}`);
}
