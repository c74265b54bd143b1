/**
 * Collects garbage at once, for tests that check what stays in memory. `--expose-gc` is a flag of the whole process: while the
 * flag is set, every new realm has a global `gc` that cannot be deleted, and the sandbox refuses to start in such a realm.
 * Test files share processes, so the flag is set only while the function is fetched.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
export const collectGarbage = runInNewContext("gc") as () => void;
setFlagsFromString("--no-expose-gc");
