/** `npm run models -- COMMAND`: installs, then runs models.ts. */
import { bin, installIfNeeded, runOrExit } from "./install.mjs";

installIfNeeded();
runOrExit(bin("tsx"), ["scripts/models.ts", ...process.argv.slice(2)]);
