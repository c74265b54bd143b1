/** An engine whose cacheFolder cannot be written, as on hosts for serverless functions: files that were not stored are downloaded again, and a notice says why. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNodeEngine } from "./create-node-engine.ts";
import { makeReadOnly } from "./testing/read-only-folder.ts";
import { bundledModel } from "./testing/test-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-read-only-"));
let server: Server;
let asked: string[] = [];
beforeAll(async () => {
  server = createServer(({ url = "" }, response) => {
    asked.push(url);
    try {
      response.end(readFileSync(join(bundledModel, url.replace("/m/", ""))));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** The engine's answer, its notices, and the files that it asked for. */
async function answer(cacheFolder: string) {
  const notices: string[] = [];
  asked = [];
  const model = `http://127.0.0.1:${(server.address() as AddressInfo).port}/m`;
  const onNotice = (notice: string) => notices.push(notice);
  const engine = await createNodeEngine({ model, dtype: "fp32", cacheFolder, onNotice });
  try {
    const request = { model: "m", messages: [{ role: "user" as const, content: "Once" }] };
    const { choices } = await engine.chat.completions.create({ ...request, max_tokens: 2, temperature: 0 });
    return { said: choices[0]?.message.content, notices, asked };
  } finally {
    engine.dispose();
  }
}

test("a folder that cannot be made keeps nothing: the model runs, and the notice names the folder and the advice", async () => {
  const file = join(folder, "a-file");
  writeFileSync(file, "");
  const cacheFolder = join(file, "models");
  const first = await answer(cacheFolder);
  expect(first.said).toBe(" upon a");
  expect(first.notices).toContainEqual(
    expect.stringMatching(
      /^onnx\/model\.onnx .*could not be saved in .*a-file\/models \(ENOTDIR\)\. The model works now, but this file will be downloaded again next time\. Set cacheFolder/,
    ),
  );
  const second = await answer(cacheFolder);
  expect(second.said).toBe(" upon a");
  expect(second.asked).toContain("/m/onnx/model.onnx");
});

// In a container, root may not be allowed to mount, and then no folder is read-only for root.
test("a folder without the right to write keeps nothing either", async ({ skip }) => {
  const cacheFolder = join(folder, "locked");
  mkdirSync(cacheFolder);
  await answer(cacheFolder);
  const undo = makeReadOnly(cacheFolder);
  if (undo === null) return skip("This process may write everywhere and mount nothing.");
  try {
    const kept = await answer(cacheFolder);
    expect(kept).toMatchObject({ said: " upon a", notices: [] });
    expect(kept.asked).not.toContain("/m/onnx/model.onnx");
    const other = await answer(join(cacheFolder, "new"));
    expect(other.said).toBe(" upon a");
    // With a read-only mount, Node 20 reports ENOENT for a folder that it should create with its parents.
    expect(other.notices).toContainEqual(expect.stringMatching(/\((EACCES|EROFS|ENOENT)\)/));
  } finally {
    undo();
  }
});
