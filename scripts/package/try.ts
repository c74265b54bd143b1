import { importedBytes } from "./sizes.ts";
import { subpaths } from "./subpaths.ts";

for (const s of subpaths) console.log(s.path, await importedBytes(s), s.limit);
