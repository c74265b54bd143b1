/** Models that are loaded into an engine in Node after it was created. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createNodeEngine } from "./create-node-engine.ts";

let engine: MidtokenEngine;
beforeAll(async () => {
  engine = await createNodeEngine({ cacheFolder: null });
});
afterAll(() => engine?.dispose());

test("models.load takes a folder by its path, from where the process runs", async () => {
  const { id } = await engine.models.load("./public/models/stories260k");
  expect(id).toBe("stories260k");
  engine.models.unload(id);
});

test("a folder that is not there is named", async () => {
  await expect(engine.models.load("./nowhere")).rejects.toThrow(/config\.json is not in .*nowhere/);
});
