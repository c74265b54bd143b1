/** `npm run bench -- NAME [--json] [--model DIR]`: runs e2e/bench/NAME.ts. Without a name, lists them. */
import { existsSync, readdirSync } from "node:fs";
import { ensureChromium } from "./browsers.mjs";
import { bin, installIfNeeded, root, runOrExit } from "./install.mjs";

installIfNeeded();
const [name, ...rest] = process.argv.slice(2);
const benches = readdirSync(`${root}/e2e/bench`)
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.replace(".bench.ts", ""));
if (!name || !existsSync(`${root}/e2e/bench/${name}.bench.ts`)) {
  console.error(
    `${name ? `There is no bench "${name}".` : "Which bench?"} There are: ${benches.join(", ")}.`,
  );
  process.exit(2);
}
const file = `e2e/bench/${name}.bench.ts`;
const environment = { CHROMIUM_PATH: await ensureChromium() };
runOrExit(bin("tsx"), [file, ...rest], environment);
