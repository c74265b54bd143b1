/** Each fault of a server, and a full disk: what the user is told, and that nothing else is lost. */
import type { Fault } from "../../../scripts/testing/hub-faults.ts";
import { type BenchRow, exactly } from "../machine.ts";
import { onStore, otherWeights, type StoreHub, weights } from "./store-hub.ts";

interface DownloadFault {
  readonly name: string;
  readonly fault: Fault;
  /** The expected text of the error; null if the download mends itself. */
  readonly says: RegExp | null;
}

const size = 20_000_000;
const middle = 9_000_000;

const downloadFaults: readonly DownloadFault[] = [
  { name: "connection broken once", fault: { kind: "drop", bytes: middle, times: 1 }, says: null },
  {
    name: "connection broken each time",
    fault: { kind: "drop", bytes: 0 },
    says: /onnx\/model\.onnx (broke off|could not be fetched).*try again/,
  },
  { name: "body cut short", fault: { kind: "short", bytes: middle, times: 1 }, says: null },
  { name: "stalled", fault: { kind: "stall", bytes: middle, times: 1 }, says: null },
  { name: "no length", fault: { kind: "no-length" }, says: null },
  { name: "no ranges", fault: { kind: "no-range" }, says: null },
  { name: "another ETag", fault: { kind: "new-etag", times: 1 }, says: null },
  { name: "a web page", fault: { kind: "html" }, says: /answered with a web page.*open it in a tab/ },
  { name: "busy once (429)", fault: { kind: "status", status: 429, times: 1 }, says: null },
  { name: "busy (429)", fault: { kind: "status", status: 429 }, says: /too many requests.*try again/ },
  { name: "failing once (503)", fault: { kind: "status", status: 503, times: 1 }, says: null },
  { name: "failing (500)", fault: { kind: "status", status: 500 }, says: /server failed.*Try again later/ },
  { name: "refused (403)", fault: { kind: "status", status: 403 }, says: /refuses it.*Check the id/ },
  {
    name: "missing (404)",
    fault: { kind: "status", status: 404 },
    says: /file does not exist.*Check the model's id/,
  },
];

export async function downloadFaultRows(): Promise<BenchRow[]> {
  const { right, disk } = await onStore(size, async (given) => {
    // This model must not be lost.
    const other = given.hub.url("bench/other");
    const kept = await given.page.evaluate((command) => window.storeBench.open(command), {
      url: other,
      file: otherWeights,
    });
    let count = 0;
    for (const fault of downloadFaults) {
      const problem = (await inject(given, fault)) ?? (await lost(given, other, kept.sha256));
      // Makes room for the next fault.
      await given.page.evaluate((address) => window.storeBench.remove(address), given.url);
      if (problem === null) count += 1;
      else console.error(`${fault.name}: ${problem}`);
    }
    const problem = (await fillDisk(given)) ?? (await lost(given, other, kept.sha256));
    if (problem !== null) console.error(`full disk: ${problem}`);
    return { right: count, disk: problem === null };
  });
  const all = downloadFaults.length;
  const outcome = "a clear error or none, the next request works, nothing else is lost";
  return [
    exactly(`faults of a server while a model is downloaded: ${outcome}`, right, `of ${all}`, all),
    exactly(`full disk: ${outcome}`, Number(disk), "of 1", 1),
  ];
}

/** @returns what was wrong; null if nothing was. */
async function inject(
  { page, url, faults, sha256 }: StoreHub,
  { fault, says }: DownloadFault,
): Promise<string | null> {
  const open = (stallMs?: number) =>
    page.evaluate((command) => window.storeBench.open(command), { url, file: weights, stallMs });
  // Something has to be there for a server that gives no ranges to refuse.
  if (fault.kind === "no-range") {
    faults.set(weights, { kind: "stall", bytes: middle });
    await page.evaluate((command) => window.storeBench.open(command), {
      url,
      file: weights,
      cancelAtBytes: middle / 2,
    });
  }
  faults.set(weights, { ...fault });
  const opened = await open(fault.kind === "stall" ? 1000 : undefined);
  faults.clear();
  if (says === null && opened.sha256 !== sha256) return `not whole: ${opened.error}`;
  if (says !== null && !says.test(opened.error ?? "")) return `said ${opened.error}`;
  const next = await open();
  return next.sha256 === sha256 ? null : `the next request: ${next.error ?? "other bytes"}`;
}

/** Whether the other model is still there, without a request. */
async function lost(given: StoreHub, url: string, sha256: string | null): Promise<string | null> {
  let requests = 0;
  given.onRequest = () => {
    requests += 1;
  };
  const opened = await given.page.evaluate((command) => window.storeBench.open(command), {
    url,
    file: otherWeights,
  });
  given.onRequest = () => undefined;
  return requests === 0 && sha256 !== null && opened.sha256 === sha256 ? null : "another model was lost";
}

/** A load goes on in memory and says so; keeping a model is an error. Once there is room, it is kept. */
async function fillDisk(given: StoreHub): Promise<string | null> {
  const { page, url, sha256 } = given;
  const client = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await client.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 10_000_000 });
  const open = () => page.evaluate((command) => window.storeBench.open(command), { url, file: weights });
  const loaded = await open();
  const refusal = await page.evaluate((address) => window.storeBench.keep(address), url);
  await client.send("Storage.overrideQuotaForOrigin", { origin });
  const clear = /onnx\/model\.onnx.*Delete other models or free disk space/;
  if (loaded.sha256 !== sha256) return `the load failed: ${loaded.error}`;
  if (!loaded.notices.some((notice) => clear.test(notice))) return `notices: ${loaded.notices.join(" ")}`;
  if (!clear.test(refusal ?? "")) return `keeping it said ${refusal}`;
  const problem = await page.evaluate((address) => window.storeBench.keep(address), url);
  if (problem !== null) return `with room again: ${problem}`;
  let requests = 0;
  given.onRequest = () => {
    requests += 1;
  };
  const again = await open();
  given.onRequest = () => undefined;
  return again.sha256 === sha256 && requests === 0 ? null : `not kept: ${again.error}`;
}
