/** A download that is interrupted again and again: how much of it comes twice, and whether the whole is right. */
import { defaultBlockBytes } from "../../../src/runtime/engine/storage/file-record.ts";
import { atMost, type BenchRow, exactly } from "../machine.ts";
import { onStore, type StoreHub, weights } from "./store-hub.ts";
import { twoTabRows } from "./two-tabs.ts";
import { untilKept } from "./until-kept.ts";

const size = 96_000_000;
const interruptions = 10;

/** The page is closed in mid-download, the user cancels, or the server's answer ends early: in turn. */
const ways = ["closed", "cancelled", "short"] as const;

/** In rising order, all different. */
function randomPoints(): readonly number[] {
  const points = new Set<number>();
  while (points.size < interruptions) points.add(1 + Math.floor(Math.random() * (size - 2)));
  return [...points].sort((a, b) => a - b);
}

export async function interruptedRows(): Promise<BenchRow[]> {
  return [...(await interruptedDownload()), ...(await twoTabRows())];
}

async function interruptedDownload(): Promise<BenchRow[]> {
  const points = randomPoints();
  console.error(`interrupted after ${points.join(", ")} of ${size} bytes`);
  const { starts, isRight, again } = await onStore(size, (given) => interrupt(given, points));
  // Between what had come and where the next request began.
  const twice = points.map((point, index) => point - (starts[index + 1] ?? 0));
  const what = `download of 96 MB, interrupted at ${interruptions} random points`;
  return [
    exactly(`${what}: goes on, final hash right`, Number(isRight), "", 1),
    exactly(`${what}: requests in all`, starts.length, "", interruptions + 1),
    atMost(`${what}: bytes that came twice, over a block`, Math.max(...twice) / defaultBlockBytes, "×", 1),
    exactly(`${what}: requests when it is opened again`, again, "", 0),
  ];
}

interface Course {
  /** First byte of each request for the weights. */
  readonly starts: readonly number[];
  readonly isRight: boolean;
  /** Requests of a second load. */
  readonly again: number;
}

async function interrupt(given: StoreHub, points: readonly number[]): Promise<Course> {
  const { page, url, faults, sha256 } = given;
  const starts: number[] = [];
  const way = (index: number) => ways[index % ways.length] ?? "closed";
  given.onRequest = (file, firstByte) => {
    if (file !== weights) return;
    const point = points[starts.length];
    if (point === undefined) faults.delete(file);
    else {
      const kind = way(starts.length) === "short" ? "short" : "stall";
      faults.set(file, { kind, bytes: point - firstByte, times: 1 });
    }
    starts.push(firstByte);
  };
  let opened = { sha256: null as string | null, error: null as string | null };
  // A request that ends early is followed by the next one of the same load.
  while (opened.sha256 === null && starts.length <= points.length) {
    const next = points.findIndex((_, index) => index >= starts.length && way(index) !== "short");
    const point = points[next];
    const isClosed = point !== undefined && way(next) === "closed";
    // The last progress that is told may be some way before the end of what came.
    const cancelAtBytes = point === undefined || isClosed ? undefined : Math.max(1, point - size / 200);
    const opening = page.evaluate((command) => window.storeBench.open(command), {
      url,
      file: weights,
      cancelAtBytes,
    });
    if (isClosed) {
      // The reload ends it.
      opening.catch(() => undefined);
      // A page that is closed before it asked for anything is not interrupted.
      while (starts.length <= next) await page.waitForTimeout(20);
      await untilKept(given, Math.floor(point / defaultBlockBytes) * defaultBlockBytes);
      await page.reload();
      await page.waitForFunction(() => "storeBench" in window);
    } else opened = await opening;
  }
  const requests = starts.length;
  const second = await page.evaluate((command) => window.storeBench.open(command), { url, file: weights });
  return {
    starts: starts.slice(0, requests),
    again: starts.length - requests,
    isRight: opened.sha256 === sha256 && second.sha256 === sha256,
  };
}
