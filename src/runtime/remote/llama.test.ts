/** The bundled model on a real llama.cpp server: the suite of language models, and the tokens of WebAssembly. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findLlamaServer, llamaServerRequirement } from "../../../scripts/remote/find-server.ts";
import { type RunningLlamaServer, startLlamaServer } from "../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../scripts/remote/story-gguf.ts";
import { distributionOf } from "../../core/decoder/logits/distribution.ts";
import { languageModelConformance } from "../../core/decoder/ports/language-model.conformance.ts";
import { createFolderSource } from "../../package/node/folder-source.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { loadModel } from "../engine/load/load-model.ts";
import { bestToken } from "../engine/testing/greedy.ts";
import { createFetchExchange } from "./exchange.ts";
import { loadRemoteModel, type RemoteLoadOptions } from "./load-remote-model.ts";

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

const folder = "public/models/stories260k";
const reference = {
  id: "stories260k",
  url: "file:///stories260k/",
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
};

describe.runIf(isThere)("the bundled model on a llama.cpp server", () => {
  let server: RunningLlamaServer;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "midtoken-llama-"));
    const model = join(directory, "story.gguf");
    writeFileSync(model, storyGguf());
    server = await startLlamaServer({ model, slots: 4 });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const load = (options: Partial<RemoteLoadOptions> = {}) =>
    loadRemoteModel(reference, {
      source: createFolderSource(folder),
      access: { url: server.url },
      exchange: createHttpExchange(),
      ...options,
    });

  const checks = languageModelConformance("llama.cpp", async () => (await load()).model, { tolerance: 1e-4 });
  for (const { name, run } of checks) test(name, run);

  // A page has `fetch` alone.
  const overFetch = { exchange: createFetchExchange() };
  const inPage = languageModelConformance("fetch", async () => (await load(overFetch)).model, {
    tolerance: 1e-4,
  });
  for (const { name, run } of inPage) test(name, run);

  test("says what it is", async () => {
    const { info, tokenizer } = await load();
    expect(info).toMatchObject({ device: "server", vocabularySize: 512, capacity: 511, chatTemplate: true });
    expect(info.adapter).toMatch(/^llama\.cpp /);
    expect(tokenizer.vocabSize).toBe(512);
  });

  test("200 greedy tokens and the log-probabilities of the top 64 are those of WebAssembly", async () => {
    const here = await loadModel(reference, "wasm", { source: createFolderSource(folder) });
    const { model } = await load();
    const text = here.formatPrompt([{ role: "user", content: "Once upon a time" }]);
    let [local, remote] = [await here.model.forward(text), await model.forward(text)];
    let worst = 0;
    for (let step = 0; step < 200; step++) {
      const token = bestToken(local);
      expect(bestToken(remote), `token ${step}`).toBe(token);
      worst = Math.max(worst, worstOfTop(local, remote));
      [local, remote] = [await here.model.forward([token]), await model.forward([token])];
    }
    expect(worst).toBeLessThan(1e-3);
    await here.model.dispose();
  });

  test("rows that a stream brought are those of single requests, whatever is asked next", async () => {
    let streams = 0;
    const send = createHttpExchange();
    const exchange: typeof send = (request) => {
      if (request.onPiece) streams += 1;
      return send(request);
    };
    const { model } = await load({ exchange });
    const text = [1, 403, 407];
    const seen: { readonly text: readonly number[]; readonly row: Float32Array }[] = [];
    const ask = async (tokens: readonly number[]) => {
      text.push(...tokens);
      seen.push({ text: [...text], row: await model.forward(tokens, 1, undefined, 100) });
    };
    const follow = async (count: number) => {
      for (let each = 0; each < count; each++) await ask([bestToken(seen.at(-1)?.row ?? new Float32Array())]);
    };
    await ask(text.splice(0));
    await follow(40);
    await ask([300]);
    await follow(10);
    await ask([310, 320, 330]);
    await follow(9);
    text.length = 12;
    model.truncate(12);
    await ask([340]);
    await follow(3);
    model.rest?.();
    // The first stream, and a new one after each of the three cuts.
    expect(streams).toBe(4);
    const single = (await load()).model;
    for (const { text: before, row } of seen) {
      single.truncate(0);
      const alone = await single.forward(before);
      expect(worstOfTop(row, alone), `${before.length} tokens`).toBeLessThan(1e-3);
    }
  });

  test.each([
    ["100 tokens, streamed", 100, 50],
    ["6 tokens, step by step", 6, 0],
  ])(
    "a conversation whose slot another program uses is told within five steps: %s",
    async (_, length, ahead) => {
      const notices: string[] = [];
      // Each believes that the server has this slot for it alone.
      const alone = await startLlamaServer({ model: join(directory, "story.gguf"), slots: 1 });
      const on = { access: { url: alone.url } };
      const models = [
        (await load({ ...on, onNotice: (notice) => notices.push(notice) })).model,
        (await load(on)).model,
      ];
      const begin = (own: number) => Array.from({ length }, (_, place) => 260 + ((place + 50 * own) % 200));
      let rows: Float32Array[] = [];
      // The second text pushes the first one out of the slot.
      for (const [own, model] of models.entries()) rows.push(await model.forward(begin(own)));
      for (let step = 0; step < 5; step++) {
        const next: Float32Array[] = [];
        for (const [own, model] of models.entries())
          next.push(await model.forward([bestToken(rows[own] ?? new Float32Array())], 1, undefined, ahead));
        rows = next;
      }
      for (const model of models) model.rest?.();
      await alone.stop();
      expect(notices).toEqual([
        expect.stringMatching(/^http:\S+ computed \d+ tokens, although only \d+ were new/),
      ]);
    },
  );

  const loadListed = async (listed: number) =>
    (
      await loadRemoteModel(reference, {
        source: createFolderSource(folder),
        access: { url: server.url, listed },
        exchange: createHttpExchange(),
      })
    ).model;

  test("listed tokens, named tokens, a longer list and scores are those of the whole row", async () => {
    const whole = (await load()).model;
    const model = await loadListed(20);
    for (const text of [[1, 403, 407], [1, 403, 407, 261, 378], [1]]) {
      whole.truncate(0);
      model.truncate(0);
      const row = await whole.forward(text);
      const [listed] = (await model.forwardListed?.(text, 1, 20)) ?? [];
      if (!listed) throw new Error("The model gave no row.");
      const ranked = Array.from(row.keys()).sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0) || a - b);
      expect([...listed.tokens]).toEqual(ranked.slice(0, 20));
      const longer = await listed.list(100);
      expect([...longer.tokens]).toEqual(ranked.slice(0, 100));
      const named = ranked.filter((_, place) => place % 7 === 0);
      const logprobs = await listed.logprobsOf(named);
      for (const [place, token] of named.entries())
        expect(Math.abs((logprobs[place] ?? 0) - (row[token] ?? 0)), `token ${token}`).toBeLessThan(2e-3);
      expect(await listed.drawOutside(ranked.slice(0, 30), 0, 0)).toBe(ranked[30]);
      for (let seed = 0; seed < 10; seed++)
        expect(ranked.indexOf(await listed.drawOutside(ranked.slice(0, 30), 1, seed))).toBeGreaterThanOrEqual(
          30,
        );
    }
    model.truncate(0);
    const rows = (await model.forwardListed?.([1, 403, 407, 5], 3, 20)) ?? [];
    whole.truncate(0);
    const after = await whole.forward([1, 403, 407]);
    expect(rows.map(({ nextLogprob }) => nextLogprob === null)).toEqual([false, false, true]);
    expect(rows[1]?.nextLogprob).toBeCloseTo(after[5] ?? 0, 3);
  });

  test("a token that is part of a character is scored, though the server leaves its list out", async () => {
    const [whole, model] = [(await load()).model, await loadListed(20)];
    const row = await whole.forward([1, 403]);
    // 231 is the byte E4, the first of three of "你".
    const [first] = (await model.forwardListed?.([1, 403, 231, 261], 3, 20)) ?? [];
    expect(first?.nextLogprob).toBeCloseTo(row[231] ?? 0, 2);
    expect(first?.tokens[0]).toBe(bestToken(row));
  });

  test("two conversations that begin in one slot part, and neither text is read again and again", async () => {
    const computed: number[] = [];
    const exchange = createHttpExchange();
    const counting: typeof exchange = async (request) => {
      const reply = await exchange(request);
      const found = /"prompt_n":(\d+)/.exec(reply.text);
      if (found) computed.push(Number(found[1]));
      return reply;
    };
    const source = createFolderSource(folder);
    const access = { url: server.url, listed: 20 };
    const open = async () => (await loadRemoteModel(reference, { source, access, exchange: counting })).model;
    const models = [await open(), await open()];
    const shared = Array.from({ length: 80 }, (_, place) => 260 + place);
    // The second prompt begins as the first one does: the server gives it the same slot.
    for (const [own, model] of models.entries()) await model.forwardListed?.([...shared, 300 + own], 1, 20);
    for (let step = 0; step < 40; step++)
      for (const [own, model] of models.entries()) {
        const text = Array.from({ length: 2 }, (_, place) => 270 + 20 * own + ((step + place) % 20));
        await model.forwardListed?.(text, 1, 20);
      }
    expect(Math.max(...computed.slice(-20))).toBeLessThanOrEqual(3);
  });

  test("a server that is asked to ban every token is told from one that obeys", async () => {
    const model = await loadListed(20);
    const [listed] = (await model.forwardListed?.([1, 403], 1, 20)) ?? [];
    const all = Array.from({ length: 512 }, (_, token) => token);
    await expect(listed?.drawOutside(all, 1, 0)).rejects.toThrow(/which was banned/);
  });

  test("a priority is refused, since the server has none", async () => {
    const access = { url: server.url, priority: 1 };
    await expect(load({ access })).rejects.toThrow(/llama\.cpp does not support the option "priority"/);
  });

  test("another model's tokenizer is refused", async () => {
    const other = createFolderSource(folder);
    const swapped = {
      ...other,
      async read(...[file, options]: Parameters<typeof other.read>) {
        const bytes = await other.read(file, options);
        if (file !== "tokenizer.json") return bytes;
        const json = JSON.parse(new TextDecoder().decode(bytes));
        // Two tokens have each other's ids.
        const { a, e } = json.model.vocab;
        Object.assign(json.model.vocab, { a: e, e: a });
        return new TextEncoder().encode(JSON.stringify(json));
      },
    };
    await expect(load({ source: swapped })).rejects.toThrow(/belong to different models/);
  });
});

/** The largest difference of log-probabilities of the 64 most likely tokens. */
function worstOfTop(local: Float32Array, remote: Float32Array): number {
  const sums = [local, remote].map((row) => distributionOf(row).logSumExp);
  const top = Array.from(local.keys())
    .sort((a, b) => (local[b] ?? 0) - (local[a] ?? 0))
    .slice(0, 64);
  const differences = top.map((token) =>
    Math.abs((local[token] ?? 0) - (sums[0] ?? 0) - ((remote[token] ?? 0) - (sums[1] ?? 0))),
  );
  return Math.max(...differences);
}
