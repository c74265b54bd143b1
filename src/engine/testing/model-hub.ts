/** A hub on this machine for a test file: real HTTP, over folders written for it or given. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createModelServer, type Fault } from "../../../scripts/model-server.ts";

export interface ModelHub {
  readonly host: string;
  /** Answers that go wrong, by path in the folder. */
  readonly faults: Map<string, Fault>;
  /** What was asked for, as `path` or `path from-byte`. Redirects are not counted. */
  readonly requests: string[];
  /** The folder of the model `test/model`, written from `files`. */
  readonly folder: string;
  write(path: string, content: string | Uint8Array): void;
  /** Address of `test/model`'s folder, or of another id's. */
  url(id?: string): string;
  close(): Promise<void>;
}

export async function startModelHub(folders: Readonly<Record<string, string>> = {}): Promise<ModelHub> {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-hub-"));
  const faults = new Map<string, Fault>();
  const requests: string[] = [];
  const server = createModelServer({
    folders: { "test/model": folder, ...folders },
    faults,
    onRequest: (file, range) =>
      requests.push(range === null ? file : `${file} ${range.replace("bytes=", "")}`),
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    faults,
    requests,
    folder,
    write(path, content) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    },
    url: (id = "test/model") => `${host}/${id}/resolve/main/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          rmSync(folder, { recursive: true });
          resolve();
        });
      }),
  };
}
