import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeSglang, startFakeVllm } from "../../src/runtime/remote/testing/fake-engines.ts";
import { checkModelServer } from "./check-server.ts";
import { findLlamaServer, llamaServerRequirement } from "./find-server.ts";
import { startLlamaServer } from "./start-server.ts";
import { storyGguf } from "./story-gguf.ts";

const vocabularySize = 20_000;
const rowAfter = (prompt: readonly number[]) =>
  Array.from(
    { length: vocabularySize },
    (_, token) => -4.5 - (Math.abs(token - 10 * prompt.length) % 500) / 5,
  );

test.each([
  ["vLLM", startFakeVllm],
  ["SGLang", startFakeSglang],
] as const)("%s with the documented shapes passes every check", async (kind, start) => {
  const server = await start({ vocabularySize, contextLength: 4_096, rowAfter });
  const found = await checkModelServer({ url: server.url });
  expect(found.filter(({ isRight }) => !isRight)).toEqual([]);
  expect(found[0]).toEqual({ what: "server", value: kind, isRight: true });
  const what = "three streamed tokens against single requests";
  expect(found).toContainEqual({ what, value: "the same", isRight: true });
  await server.close();
});

test("a stream that differs from single requests is a line of its own", async () => {
  const changeEvent = () => ({ error: { message: "no streams here" } });
  const server = await startFakeVllm({ vocabularySize, contextLength: 4_096, rowAfter, changeEvent });
  const found = await checkModelServer({ url: server.url });
  expect(found.filter(({ isRight }) => !isRight)).toEqual([
    {
      what: "three streamed tokens against single requests",
      value: expect.stringContaining("no streams here"),
      isRight: false,
    },
  ]);
  expect(JSON.stringify(found)).not.toContain("127.0.0.1");
  await server.close();
});

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

test.runIf(isThere)("a real server passes every check", async () => {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-check-"));
  const model = join(folder, "story.gguf");
  writeFileSync(model, storyGguf());
  const server = await startLlamaServer({ model });
  try {
    const found = await checkModelServer({ url: server.url });
    expect(found.filter(({ isRight }) => !isRight)).toEqual([]);
    expect(found.find(({ what }) => what.startsWith("tokens of the vocabulary"))?.value).toBe("512, 512, 1");
    expect(found).toContainEqual({ what: "RAM cache", value: "not seen", isRight: true });
    expect(JSON.stringify(found)).not.toContain("127.0.0.1");
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
