/** Writes public/models/stories260k from the two source files: `npx tsx scripts/stories260k/build.ts`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { storyModelFiles } from "./files.ts";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../../public/models/stories260k");

const files = storyModelFiles(
  readFileSync(join(here, "source/stories260K.bin")),
  readFileSync(join(here, "source/tok512.bin")),
);
for (const [path, bytes] of files) {
  const file = join(target, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  console.log(`${file}: ${bytes.length} bytes`);
}
