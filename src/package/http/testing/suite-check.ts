/** Checks of the suite of OpenAI's client, which runs in browsers too. */

/** @throws Error that says what was expected. */
export function check(isRight: boolean, wanted: string): asserts isRight {
  if (!isRight) throw new Error(`Wanted: ${wanted}.`);
}

/** Compares as JSON. @throws Error with both values */
export function assertEqualJson(actual: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new Error(`Wanted: ${what} is ${other}, but it is ${one}.`);
}

type ErrorClass<Kind extends Error> = abstract new (...args: never[]) => Kind;

/** Returns the error of this kind that the work throws. @throws Error if it throws nothing, or another error */
export async function expectThrown<Kind extends Error>(
  work: () => PromiseLike<unknown>,
  kind: ErrorClass<Kind>,
): Promise<Kind> {
  try {
    await work();
  } catch (error) {
    if (error instanceof kind) return error;
    throw new Error(`Wanted: ${kind.name}, but it threw ${String(error)}.`, { cause: error });
  }
  throw new Error(`Wanted: ${kind.name}, but nothing was thrown.`);
}

export async function collectValues<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}
