/** `npm run strings -- [FOLDER or FILE …]`: installs, then runs strings.ts. */
import { bin, installIfNeeded, runOrExit } from "./install.mjs";

installIfNeeded();
runOrExit(bin("tsx"), ["scripts/strings.ts", ...process.argv.slice(2)]);
