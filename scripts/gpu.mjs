/** `npm run gpu -- COMMAND`: installs, then runs gpu/index.ts. */
import { bin, installIfNeeded, runOrExit } from "./install.mjs";

installIfNeeded();
runOrExit(bin("tsx"), ["scripts/gpu/index.ts", ...process.argv.slice(2)]);
