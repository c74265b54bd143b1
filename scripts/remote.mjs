/** `npm run remote -- COMMAND`: installs the packages if needed, then runs remote.ts. */
import { bin, installIfNeeded, runOrExit } from "./install.mjs";

installIfNeeded();
runOrExit(bin("tsx"), ["scripts/remote.ts", ...process.argv.slice(2)]);
