/** A real request on the bundled model in Node, under real mods, recorded as the page records it (without the sandbox around the mods). */
import { readFileSync } from "node:fs";
import { decode } from "../../src/decoder/decode.ts";
import { KvCache } from "../../src/decoder/kv-cache.ts";
import type { ConsoleLine, ModHost } from "../../src/decoder/mod-host.ts";
import { createPromptFormatter } from "../../src/engine/chat-template.ts";
import { createGqaModel } from "../../src/engine/gqa-model.ts";
import { readGraph } from "../../src/engine/testing/exported-models.ts";
import { createWasmRunner } from "../../src/engine/wasm-runner.ts";
import { inProcessMod } from "../../src/examples/testing/in-process-mod.ts";
import { defaultSampling, type SamplingSettings } from "../../src/sdk/request.ts";
import type { Tokenizer } from "../../src/sdk/tokenizer.ts";
import { answerFormat } from "../../src/session/answer-format.ts";
import { decodeRequestOf } from "../../src/session/decode-request.ts";
import type { RunRequest } from "../../src/session/protocol.ts";
import { createTokenizer, type JsonObject } from "../../src/tokenizer/create-tokenizer.ts";
import type { Trace, TraceRecord } from "../../src/trace/format.ts";
import type { TraceMod } from "../../src/trace/format-request.ts";
import { traceOf } from "../../src/trace/trace-view.ts";

/** About 1 KB. On the bundled model it bans, backtracks and forces within the first hundred tokens. */
export const storyMod: TraceMod = {
  name: "rename-and-cheer-up",
  source: `import { mod, requestState } from "midtoken/mod";

// Lily and Tim are called Max in this house, nobody is sad, and a friend is introduced.
const name = " Max";
const tail = requestState(() => "");
const introduced = requestState(() => false);

export default mod({
  // A sad word can begin in many ways: forbid what would complete it.
  forwardPass(event, actions, tokenizer) {
    const gloomy = (token: number) => /\\b(sad|cried|scared)$/.test(tail.current + tokenizer.tokenText(token));
    const ban = event.topK(16).map(({ token }) => token).filter(gloomy);
    if (ban.length > 0) return actions.adjustLogits({ ban });
  },

  added(event, actions) {
    tail.current = (tail.current + event.text).slice(-12);
    if (event.forced || event.isEos) return;
    if (/ (Lily|Tim|Tom)$/.test(tail.current)) {
      console.log(\`step \${event.step}: renamed\`, tail.current);
      return actions.backtrack(1, name);
    }
    if (!introduced.current && tail.current.endsWith(" friend")) {
      introduced.current = true;
      return actions.forceTokens(", a very clever bird,");
    }
  },
});
`,
};

export interface StorySettings {
  readonly mods: readonly TraceMod[];
  readonly maxTokens: number;
  readonly sampling?: Partial<SamplingSettings>;
  readonly seed?: number;
  readonly prompt?: string;
  readonly stop?: readonly string[];
  /** Kept by the mod that comes with the request. */
  readonly answer?: Pick<RunRequest, "tools" | "toolChoice" | "parallelToolCalls" | "responseFormat">;
}

export interface Storyteller {
  record(settings: StorySettings): Promise<Trace>;
  dispose(): Promise<void>;
}

const folder = "public/models/stories260k";
const graph = "onnx/model.onnx";

/** Loads the bundled model once. */
export async function openStoryteller(): Promise<Storyteller> {
  const json = (file: string): JsonObject => JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
  const read = readGraph({ name: folder, folder, file: graph, quantized: false });
  const runner = await createWasmRunner({ ...read, cacheRows: 512 });
  const endOfSequence = [json("config.json").eos_token_id].flat() as number[];
  const model = createGqaModel(runner, { endOfSequence });
  const tokenizerConfig = json("tokenizer_config.json");
  const tokenizerData = {
    ...{ tokenizerJson: json("tokenizer.json"), tokenizerConfig },
    ...{ vocabSize: model.vocabularySize, eosTokenIds: endOfSequence },
  };
  const tokenizer = createTokenizer(tokenizerData);
  const { format } = createPromptFormatter(tokenizerConfig, tokenizer);
  const parts = { tokenizer, tokenizerData, formatPrompt: format };
  const kvCache = new KvCache(model);
  return {
    async record({
      mods,
      maxTokens,
      sampling,
      seed = 7,
      prompt: text = "Once upon a time",
      stop = [],
      answer,
    }) {
      const records: TraceRecord[] = [];
      const messages = [{ role: "user" as const, content: text }];
      const request: RunRequest = {
        ...{ requestId: "req_mh2k9x4c", messages, stop, seed, maxTokens, mods, ...answer },
        ...{ onModError: "continue", sampling: { ...defaultSampling, ...sampling } },
      };
      const { prompt, host } = answerFormat(request, parts);
      const written = mods.map((each) => listening(each, tokenizer));
      const model = {
        ...{ id: "models/stories260k", revision: null, file: graph, device: "wasm" as const, adapter: "" },
        vocabularySize: tokenizerData.vocabSize,
      };
      await decode(decodeRequestOf(request, host, { prompt, model, createdAt: 1_790_000_000_000 }), {
        ...{ kvCache, tokenizer, mods: host ? [...written, host] : written },
        record: (record) => records.push(record),
        now: () => performance.now(),
      });
      return traceOf({ records });
    },
    dispose: () => model.dispose(),
  };
}

/** A mod whose console lines are in its answers, as the sandbox has it. It is asked for one event at a time. */
function listening({ name, source }: TraceMod, tokenizer: Tokenizer): ModHost {
  let lines: ConsoleLine[] = [];
  const host = inProcessMod(source, tokenizer, (text) => lines.push({ level: "log", text }));
  return {
    name,
    handles: host.handles,
    readsLogits: host.readsLogits,
    async ask(event) {
      lines = [];
      return { ...(await host.ask(event)), console: lines };
    },
    dispose: () => host.dispose(),
  };
}
