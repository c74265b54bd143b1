/** The table of clients: each installed from npm, on the packed tarball, by `midtoken serve`, by the fetch handler and through the service worker. */
import { resolve } from "node:path";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { runInBrowser } from "../../package/clients/in-browser.ts";
import { type Client, clients } from "../../package/clients/list.ts";
import {
  type CaseResult,
  type ClientFolder,
  type ClientModel,
  installClient,
  type RunningServer,
  runInNode,
  startServe,
} from "../../package/clients/set-up.ts";
import { launchChromium } from "../decode/browser.ts";
import { type BenchRow, exactly, missingRows } from "../machine.ts";

const story: ClientModel = {
  model: resolve(import.meta.dirname, "../../../public/models/stories260k"),
  dtype: "fp32",
};

function clientModels(): readonly ClientModel[] {
  const folder = modelFolder("smollm2-135m-instruct");
  return folder === null ? [story] : [story, { model: folder, dtype: "int8" }];
}

/** @param tarball path of the packed package */
export async function clientRows(tarball: string): Promise<BenchRow[]> {
  const models = clientModels();
  const rows: BenchRow[] = [];
  const serverFolder = installClient({}, tarball);
  const server = await startServe(serverFolder, models);
  try {
    for (const client of clients) {
      const folder = installClient(client.packages, tarball);
      try {
        rows.push(...(await nodeRows(folder, client, models, server)));
        if (client.inBrowser) rows.push(...(await browserRows(folder, client, models)));
      } finally {
        folder.remove();
      }
    }
  } finally {
    await server.close();
    serverFolder.remove();
  }
  const right = rows.filter(({ ok }) => ok).length;
  const total = exactly(
    "clients, each on its own path: cases that answer, or are refused by the expected sentence",
    right,
    `of ${rows.length}`,
    rows.length,
  );
  return [
    total,
    ...rows,
    ...(models.length > 1 ? [] : missingRows("clients: tools and structured output, SmolLM2")),
  ];
}

async function nodeRows(
  folder: ClientFolder,
  client: Client,
  models: readonly ClientModel[],
  { baseUrl }: RunningServer,
): Promise<BenchRow[]> {
  const served = await runInNode(folder, client, models, baseUrl);
  const handled = await runInNode(folder, client, models, null);
  return [...rowsOf(client, "midtoken serve", served), ...rowsOf(client, "fetch handler", handled)];
}

async function browserRows(
  folder: ClientFolder,
  client: Client,
  models: readonly ClientModel[],
): Promise<BenchRow[]> {
  const browser = await launchChromium();
  try {
    return rowsOf(client, "service worker", await runInBrowser(browser, folder, client, models));
  } finally {
    await browser.close();
  }
}

function rowsOf({ name, version }: Client, path: string, results: readonly CaseResult[]): BenchRow[] {
  return results.map(({ tried, ok, said }) => ({
    ...exactly(`${name} ${version}, ${path}: ${tried}`, ok ? 1 : 0, "of 1", 1),
    text: said,
  }));
}
