/** `npm run bench -- stops [--json] [--only NAME,…]`: how soon Stop, Ctrl-C and SIGTERM end work that never ends, and whether the next request works. */
import { parseArgs } from "node:util";
import { buildPackage, packTarball } from "../../scripts/package/build.ts";
import { endlessKinds, type hostsOfEndlessModels } from "../../src/runtime/engine/testing/endless-models.ts";
import { type BenchRow, exactly } from "./machine.ts";
import { runSections } from "./sections.ts";
import { writeEndlessFolders } from "./stops/folders.ts";
import { pageRows } from "./stops/page.ts";
import { openPackage, runRows, serveRows } from "./stops/processes.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
const models = writeEndlessFolders();
/** The packed tarball in a folder of its own, once a section has asked for it. */
const opened: ReturnType<typeof openPackage>[] = [];

async function packed() {
  const folder = opened[0] ?? openPackage(await buildPackage().then(() => packTarball()));
  opened[0] = folder;
  return folder;
}

/** The rows of a place, behind how many of its kinds ended in time and worked again. */
function withCount(place: string, rows: readonly BenchRow[]): BenchRow[] {
  const right = rows.filter(({ ok }) => ok).length;
  const all = endlessKinds.length;
  return [
    exactly(`${place}: ended within 2 s, and the next request works`, right, `of ${all}`, all),
    ...rows,
  ];
}

type Place = (typeof hostsOfEndlessModels)[number];
const sections: Readonly<Record<Place, () => Promise<BenchRow[]>>> = {
  page: async () => withCount("page, Stop", await pageRows(models)),
  run: async () => withCount("midtoken run, Ctrl-C", await runRows(await packed(), models)),
  serve: async () => withCount("midtoken serve, SIGTERM", await serveRows(await packed(), models)),
};
try {
  await runSections("stops", sections, options);
} finally {
  for (const folder of opened) folder.remove();
  models.remove();
}
