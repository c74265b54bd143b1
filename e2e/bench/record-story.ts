/** A real request on the bundled model in Node, under real mods, recorded as the page records it (without the sandbox around the mods). */
import type { ConsoleLine, ModHost } from "../../src/core/decoder/ports/mod-host.ts";
import { defaultSampling, type SamplingSettings } from "../../src/core/sdk/request.ts";
import type { Tokenizer } from "../../src/core/sdk/tokenizer.ts";
import type { Trace } from "../../src/core/trace/format/format.ts";
import type { TraceMod } from "../../src/core/trace/format/format-request.ts";
import { traceOf } from "../../src/core/trace/format/trace-of.ts";
import { openExportedModel } from "../../src/page/examples/testing/exported-model.ts";
import { inProcessMod } from "../../src/page/examples/testing/in-process-mod.ts";
import type { RunRequest } from "../../src/runtime/session/shared/requests.ts";

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
  readonly tokenizer: Tokenizer;
  record(settings: StorySettings): Promise<Trace>;
  dispose(): Promise<void>;
}

const folder = "public/models/stories260k";
const graph = "onnx/model.onnx";

/** Loads the bundled model once. */
export async function openStoryteller(): Promise<Storyteller> {
  const model = await openExportedModel(folder, graph, "models/stories260k");
  return {
    tokenizer: model.tokenizer,
    async record({
      mods,
      maxTokens,
      sampling,
      seed = 7,
      prompt: text = "Once upon a time",
      stop = [],
      answer,
    }) {
      const messages = [{ role: "user" as const, content: text }];
      const request: RunRequest = {
        requestId: "req_mh2k9x4c",
        messages,
        stop,
        seed,
        maxTokens,
        mods,
        ...answer,
        onModError: "continue",
        sampling: { ...defaultSampling, ...sampling },
      };
      const hosts = mods.map((each) => listening(each, model.tokenizer));
      return traceOf(await model.run(request, hosts, 1_790_000_000_000));
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
    needs: host.needs,
    async ask(event) {
      lines = [];
      return { ...(await host.ask(event)), console: lines };
    },
    dispose: () => host.dispose(),
  };
}
