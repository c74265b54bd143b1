/** `npm start`: installs, builds what is out of date, serves, prints the address. Options are passed to serve.ts. */
import { bin, installIfNeeded, runOrExit } from "./install.mjs";

installIfNeeded();
runOrExit(bin("tsx"), ["scripts/serve.ts", ...process.argv.slice(2)]);
