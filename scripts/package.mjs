/** `npm run package`: installs, builds the npm package. Options are passed to package/build.ts. */
import { bin, installIfNeeded, runOrExit } from "./install.mjs";

installIfNeeded();
runOrExit(bin("tsx"), ["scripts/package/build.ts", ...process.argv.slice(2)]);
