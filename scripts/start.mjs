/**
 * `npm start`: installs packages, builds the page if it is out of date, serves it, and prints the address. Options are passed to
 * serve.ts.
 */
import { bin, installIfNeeded, runUntilStopped } from "./install.mjs";

installIfNeeded();
runUntilStopped(bin("tsx"), ["scripts/serve.ts", ...process.argv.slice(2)]);
