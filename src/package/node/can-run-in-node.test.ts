/** Whether a model's folder can be run, on real folders and on a hub of this process. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { canRunInNode } from "./can-run-in-node.ts";

const story = "public/models/stories260k";
const place = mkdtempSync(join(tmpdir(), "midtoken-can-run-"));
afterAll(() => rmSync(place, { recursive: true }));

const runs = { answer: "yes", device: "wasm", dtype: "fp32", downloadBytes: expect.any(Number) };

test("a folder answers by its path and by its address", async () => {
  expect(await canRunInNode(`./${story}`)).toMatchObject(runs);
  expect(await canRunInNode(pathToFileURL(story).href, { dtype: "fp32" })).toMatchObject(runs);
});

test("a folder without weights is a no that says so", async () => {
  const bare = join(place, "bare");
  mkdirSync(bare);
  cpSync(join(story, "config.json"), join(bare, "config.json"));
  const { answer, reason } = await canRunInNode(bare);
  expect(answer).toBe("no");
  expect(reason).toMatch(/^Midtoken cannot read any weights of the model bare\. .*onnx\/model\.onnx/);
});

test("a folder without config.json, and no folder, are errors that name it", async () => {
  const empty = join(place, "empty");
  mkdirSync(empty);
  await expect(canRunInNode(empty)).rejects.toMatchObject({
    code: "model_not_loaded",
    message: expect.stringContaining(`config.json is not in ${empty}`) as string,
  });
  await expect(canRunInNode(join(place, "nothing"))).rejects.toThrow(
    `There is no folder ${join(place, "nothing")}`,
  );
});

test("an address is asked as in a browser, and no weights are read", async () => {
  const hub = await startModelHub({ "of/story": story });
  try {
    expect(await canRunInNode(hub.url("of/story"))).toMatchObject(runs);
    expect(hub.requests.filter((file) => file.includes(".onnx"))).toEqual([]);
  } finally {
    await hub.close();
  }
});

test("an unknown option is refused, and an aborted signal is heard", async () => {
  await expect(canRunInNode(`./${story}`, { dtyp: "fp32" } as object)).rejects.toThrow(
    'Did you mean "dtype"',
  );
  const signal = AbortSignal.abort(new Error("Stopped."));
  await expect(canRunInNode(`./${story}`, { signal })).rejects.toThrow("Stopped.");
});
