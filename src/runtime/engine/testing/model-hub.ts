/** A hub on this machine for a test file: a real HTTP server over folders that the tests write or pass. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Fault, type HubRepository, startHubServer } from "../../../../scripts/testing/hub-server.ts";

export interface ModelHub {
  readonly host: string;
  /** Wrong answers to give, by path in the folder. */
  readonly faults: Map<string, Fault>;
  /** The requested files, as `path`, or `path range` if a range was asked for: `onnx/model.onnx 0-199`. Redirects do not count. */
  readonly requests: string[];
  /** The folder of the model `test/model`, written from `files`. */
  readonly folder: string;
  write(path: string, content: string | Uint8Array): void;
  /** The address of the folder of `test/model`, or of another id. */
  url(id?: string): string;
  close(): Promise<void>;
}

export async function startModelHub(
  repositories: Readonly<Record<string, string | HubRepository>> = {},
): Promise<ModelHub> {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-hub-"));
  const faults = new Map<string, Fault>();
  const requests: string[] = [];
  const server = await startHubServer({
    repositories: { "test/model": folder, ...repositories },
    faults,
    onRequest: (file, range) =>
      requests.push(range === null ? file : `${file} ${range.replace("bytes=", "")}`),
  });
  return {
    host: server.host,
    faults,
    requests,
    folder,
    write(path, content) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    },
    url: (id = "test/model") => server.url(id),
    async close() {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
