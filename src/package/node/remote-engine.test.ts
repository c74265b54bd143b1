/** An engine in Node whose model runs on a llama.cpp server: the same answers as from a model in this process, and every failure of the server. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findLlamaServer, llamaServerRequirement } from "../../../scripts/remote/find-server.ts";
import { freePort, type RunningLlamaServer, startLlamaServer } from "../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../scripts/remote/story-gguf.ts";
import { startFakeLlama } from "../../runtime/remote/testing/fake-llama.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createNodeEngine } from "./create-node-engine.ts";

const folder = "./public/models/stories260k";
const key = "a-key-that-nobody-may-see";

test("without a model the engine says that it needs the tokenizer", async () => {
  await expect(createNodeEngine({ remote: { url: "http://127.0.0.1:1" } })).rejects.toThrow(
    /needs `model`: the folder, address or hub id/,
  );
});

test("a server that is not there is an error with its address", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  await expect(createNodeEngine({ model: folder, remote: { url }, cacheFolder: null })).rejects.toThrow(
    `No server answers at ${url} (ECONNREFUSED).`,
  );
});

test("a server of another model is refused", async () => {
  const fake = await startFakeLlama({
    vocabularySize: 512,
    contextLength: 64,
    rowAfter: () => [],
    textOf: () => "other words",
  });
  const opening = createNodeEngine({ model: folder, remote: { url: fake.url }, cacheFolder: null });
  await expect(opening).rejects.toThrow(/belong to different models.*Give the folder of the model/);
  await fake.close();
});

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

describe.runIf(isThere)("on a real server", () => {
  let directory: string;
  let server: RunningLlamaServer;
  let local: MidtokenEngine;
  let remote: MidtokenEngine;
  const start = (port?: number) =>
    startLlamaServer({
      model: join(directory, "story.gguf"),
      flags: ["--api-key", key],
      ...(port !== undefined && { port }),
    });

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "midtoken-llama-"));
    writeFileSync(join(directory, "story.gguf"), storyGguf());
    server = await start();
    local = await createNodeEngine({ model: folder, dtype: "fp32", cacheFolder: null });
    remote = await createNodeEngine({
      model: folder,
      remote: { url: server.url, key },
      cacheFolder: null,
    });
    for (const name of ["swap-name", "ban-word", "hidden-question"]) {
      const source = readFileSync(`src/page/examples/${name}.ts`, "utf8");
      for (const engine of [local, remote]) await engine.mods.register({ name, source });
    }
    const source = readFileSync("src/page/examples/gloomy-sentence.ts", "utf8");
    await remote.mods.register({ name: "layers", source });
  });
  afterAll(async () => {
    local?.dispose();
    remote?.dispose();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const ask = async (engine: MidtokenEngine, mods: string, more: object = {}) => {
    const { choices } = await engine.chat.completions.create({
      model: `stories260k${mods}`,
      messages: [{ role: "user", content: "Once upon a time there was a girl" }],
      max_tokens: 24,
      temperature: 0,
      seed: 5,
      ...more,
    });
    return choices[0]?.message.content;
  };

  test.each(["", "/hidden-question", "/swap-name,ban-word"])(
    "answers as the model here does: stories260k%s",
    async (mods) => {
      for (const settings of [{ temperature: 0 }, { temperature: 1, top_p: 0.9 }])
        expect(await ask(remote, mods, settings)).toBe(await ask(local, mods, settings));
    },
  );

  test("a trace says that a server ran the model, and has neither its address nor its key", async () => {
    await ask(remote, "/swap-name");
    const id = remote.requests.list().at(-1)?.id ?? "";
    const trace = JSON.stringify(await remote.requests.trace(id));
    expect(trace).toContain('"device":"server"');
    expect(trace).not.toContain(key);
    expect(trace).not.toContain("127.0.0.1");
  });

  test("what a server cannot do is refused before the request starts", async () => {
    const penalty = { repetition_penalty: 1.2 };
    await expect(ask(remote, "", penalty)).rejects.toThrow(/A repetition penalty needs the sign/);
    await expect(ask(remote, "/layers")).rejects.toThrow(
      /the model runs on a server that does not return hidden states/,
    );
    expect(await ask(remote, "")).toBe(await ask(local, ""));
  });

  test("a server that is killed in the middle of an answer is an error; the text stays, and the next request works", async () => {
    const stream = await remote.chat.completions.create({
      model: "stories260k",
      messages: [{ role: "user", content: "Once upon a time" }],
      max_tokens: 300,
      temperature: 0,
      stream: true,
    });
    let text = "";
    const read = async () => {
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        if (text.length > 40) await server.stop();
      }
    };
    await expect(read()).rejects.toThrow(/No server answers at|ended in the middle of a response/);
    expect(text.length).toBeGreaterThan(40);
    const last = remote.requests.list().at(-1);
    const { records } = await remote.requests.trace(last?.id ?? "");
    const end = records.at(-1);
    expect(end).toMatchObject({ type: "finished", reason: "error" });
    expect(end?.type === "finished" && end.text.startsWith(text)).toBe(true);
    await expect(ask(remote, "")).rejects.toThrow(/No server answers at/);
    server = await start(Number(new URL(server.url).port));
    expect(await ask(remote, "")).toBe(await ask(local, ""));
  });
});
