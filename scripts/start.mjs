/** `npm start`: installs, builds what is out of date, serves, prints the address. Options are passed to serve.ts. */
import { bin, installIfNeeded, runUntilStopped } from "./install.mjs";

installIfNeeded();
runUntilStopped(bin("tsx"), ["scripts/serve.ts", ...process.argv.slice(2)]);
