/** Model folders in which some work never ends, on disk. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  type EndlessKind,
  endlessKinds,
  endlessModel,
} from "../../../src/runtime/engine/testing/endless-models.ts";
import { atMost, type BenchRow } from "../machine.ts";

export interface EndlessFolders {
  /** The folder's name is the model's id. */
  of(kind: EndlessKind): string;
  /** The bundled model, for the request that has to work afterwards. */
  readonly working: string;
  remove(): void;
}

export const prompt = "Once upon a time";
export const story = ", there was a little girl named Lily.";

/** Milliseconds after which a page's worker is in the endless work: its models are loaded, or their files are on this machine. */
export const inWorkMs = 5_000;

const bundled = resolve(import.meta.dirname, "../../../public/models/stories260k");

export function writeEndlessFolders(): EndlessFolders {
  const root = mkdtempSync(join(tmpdir(), "midtoken-stops-"));
  const of = (kind: EndlessKind) => join(root, kind.replaceAll(" ", "-"));
  for (const kind of endlessKinds)
    for (const [path, bytes] of endlessModel(kind)) {
      const file = join(of(kind), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
  const working = join(root, "stories260k");
  cpSync(bundled, working, { recursive: true });
  return { of, working, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** @param works whether the next request works */
export function stopRow(name: string, ms: number, works: boolean): BenchRow {
  const row = atMost(name, ms, "ms", 2_000);
  return works ? row : { ...row, ok: false, text: "the next request failed" };
}

export const waitInWork = (): Promise<void> => new Promise((done) => setTimeout(done, inWorkMs));
