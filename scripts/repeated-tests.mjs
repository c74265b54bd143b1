/**
 * Decides which failed tests `test.mjs` runs once more, and what counts afterwards. A machine that is busy for some seconds fails
 * one test in ten thousand, and a run of all tests takes half an hour. A test that passes when it is repeated does not fail the
 * run, but the last lines of the run name the test and its error, so that somebody mends the cause.
 *
 *     mayRepeat({ failed: 1, failures: ["[page] page/step.spec.ts > …"], failedFiles: ["page/step.spec.ts"] })           // true
 *     mayRepeat({ failed: 1, failures: ["[sandbox] sandbox/leaks.spec.ts > …"], failedFiles: ["sandbox/leaks.spec.ts"] })  // false
 */

/** More failures than these have a cause in the code. */
const mostRepeated = 3;

/** The escape attempts of `e2e/sandbox` are not repeated: a sandbox that leaks once leaks. A failure outside the tests, such as an import that throws, has no failed file. */
export function mayRepeat({ failed, failures, failedFiles }) {
  if (failed === 0 || failed > mostRepeated) return false;
  if (failures.length !== failed || failedFiles.length === 0) return false;
  return !failedFiles.some((file) => file.startsWith("sandbox/"));
}

const nameOf = (failure) => failure.split("\n", 1)[0];

/** The tests of the first run; those that failed count by how they ended in the second. `unstable` passed only there. */
export function afterRepeat(first, second) {
  const areAllRepeated =
    second.passed + second.failed >= first.failed && second.failures.length === second.failed;
  if (!areAllRepeated) return { ...first, failures: [...first.failures, ...second.failures], unstable: [] };
  const failedAgain = new Set(second.failures.map(nameOf));
  const unstable = first.failures.filter((failure) => !failedAgain.has(nameOf(failure)));
  return {
    ...first,
    passed: first.passed + unstable.length,
    failed: second.failed,
    failures: second.failures,
    unstable,
  };
}
