/**
 * Work that a helper of tests does after each test. Files share their workers, so a helper's module is evaluated once for many
 * files: a hook of its own would run in the first of these files alone. `vitest-setup.ts` runs this work in every file.
 */
type Work = () => void | Promise<void>;

const holder = globalThis as { afterEachTest?: Set<Work> };
holder.afterEachTest ??= new Set();
const all = holder.afterEachTest;

export function afterEachTest(work: Work): void {
  all.add(work);
}

export async function runAfterEachTest(): Promise<void> {
  for (const work of all) await work();
}
