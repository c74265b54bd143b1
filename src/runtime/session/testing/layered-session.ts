/** Page and engine in one process with the bundled model, for requests whose mods read and steer layers. */
import { readFileSync } from "node:fs";
import type { FinishedRecord, TraceRecord } from "../../../core/trace/format/format.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import {
  createInProcessCompiler,
  createInProcessSandboxPool,
} from "../../../package/testing/in-process-mods.ts";
import { type LoadOptions, loadModel, type ModelBundle } from "../../engine/load/load-model.ts";
import { encodeModel, parseModel } from "../../engine/onnx/codec.ts";
import { makeNode } from "../../engine/onnx/make.ts";
import type { ModelHub } from "../../engine/testing/model-hub.ts";
import { createSession, type RunOptions, type Session } from "../page-side/client.ts";
import type { EngineMemory } from "../shared/memory-budget.ts";
import type { RunRequest } from "../shared/requests.ts";
import { type EngineThread, startEngineThread } from "./engine-thread.ts";
import { createStoryRequest } from "./story-request.ts";

const id = "midtoken/stories260k";
const folder = "public/models/stories260k";

/** The argument of `startModelHub`. */
export const bundledModelRepositories = { [id]: folder };

type Load = typeof loadModel;

export interface LayeredSession {
  readonly session: Session;
  readonly threads: readonly EngineThread[];
  /** Loads and frees of models, in order: "load", "load layers", "free", "free layers". */
  readonly log: string[];
  readonly memoryReports: (EngineMemory | null)[];
  /** How many times the page got the message that the model is gone. */
  readonly gone: () => number;
  /** Sets the function with which the engine loads models from now on. */
  loadBy(load: Load): void;
  /** Loads the bundled model. */
  load(more?: Partial<Parameters<Session["loadModel"]>[2]>): Promise<void>;
  start(mods: readonly string[], more?: Partial<RunRequest>, options?: RunOptions): StartedTestRequest;
}

export interface StartedTestRequest {
  readonly handle: ReturnType<Session["run"]>;
  readonly records: readonly TraceRecord[];
  /** The request's first and last record. Rejects if the request never began. */
  readonly ended: Promise<{ readonly request: RequestRecord; readonly finished: FinishedRecord }>;
}

export function openLayeredSession(hub: ModelHub, memoryBudget = 1e9): LayeredSession {
  const threads: EngineThread[] = [];
  const log: string[] = [];
  const memoryReports: (EngineMemory | null)[] = [];
  let gone = 0;
  let load: Load = loadModel;
  const logged: Load = async (reference, device, options = {}) => {
    const bundle = await load(reference, device, options);
    return withLog(bundle, log, options);
  };
  const session = createSession({
    openTransport() {
      const thread = startEngineThread({ loadModel: logged });
      threads.push(thread);
      return thread.transport;
    },
    createSandboxes: createInProcessSandboxPool,
    startCompiler: createInProcessCompiler,
    cancelGraceMs: 50,
    memoryBudget,
  });
  session.onModelGone(() => (gone += 1));
  session.onMemory((memory) => memoryReports.push(memory));
  return {
    session,
    threads,
    log,
    memoryReports,
    gone: () => gone,
    loadBy: (next) => {
      load = next;
    },
    async load(more = {}) {
      const dtype = { webgpu: "fp32", wasm: "fp32" };
      const { signal } = new AbortController();
      const model = { id, url: hub.url(id), revision: null, dtype };
      await session.loadModel(model, "wasm", { onProgress() {}, signal, ...more });
    },
    start(mods, more = {}, options = {}) {
      const records: TraceRecord[] = [];
      const handle = session.run(
        createStoryRequest({
          maxTokens: 12,
          mods: mods.map((source, i) => ({ name: `m${i}`, source })),
          ...more,
        }),
        (some) => records.push(...some),
        options,
      );
      const ended = handle.done.then(() => ({
        request: records[0] as RequestRecord,
        finished: records.at(-1) as FinishedRecord,
      }));
      ended.catch(() => {});
      return { handle, records, ended };
    },
  };
}

function withLog(bundle: ModelBundle, log: string[], { openLayers }: LoadOptions): ModelBundle {
  const what = openLayers ? " layers" : "";
  log.push(`load${what}`);
  const { model } = bundle;
  const dispose = model.dispose.bind(model);
  model.dispose = () => {
    log.push(`free${what}`);
    return dispose();
  };
  return bundle;
}

/** The bundled model's files, in the form of picked files. */
export function pickedBundledModelFiles(): Map<string, Blob> {
  const names = ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"];
  const paths = [...names, "onnx/model.onnx"];
  return new Map(paths.map((path) => [path, new Blob([new Uint8Array(readFileSync(`${folder}/${path}`))])]));
}

/**
 * The bundled model's files, with a graph that gives the same output, but whose layers cannot be found: the rows of the
 * embedding are negated twice.
 */
export function modelWithoutFindableLayers(): Map<string, Blob> {
  const files = pickedBundledModelFiles();
  const model = parseModel(new Uint8Array(readFileSync(`${folder}/onnx/model.onnx`)));
  const nodes = model.graph?.node ?? [];
  const embedding = nodes.find(({ operator, input }) => operator === "Gather" && input[1] === "input_ids");
  const rows = embedding?.output[0];
  if (!embedding || rows === undefined) throw new Error("The bundled graph has no embedding.");
  for (const { input } of nodes)
    for (const [i, name] of input.entries()) if (name === rows) input[i] = "negated twice";
  const negated = [makeNode("Neg", [rows], ["negated"], { name: "first" })];
  negated.push(makeNode("Neg", ["negated"], ["negated twice"], { name: "second" }));
  nodes.splice(nodes.indexOf(embedding) + 1, 0, ...negated);
  return files.set("onnx/model.onnx", new Blob([new Uint8Array(encodeModel(model))]));
}

/** Mods, as users write them. */
export const layeredMods = {
  /** Reads a layer, but writes and steers nothing. */
  looks: `import { mod } from "midtoken/mod";
export default mod({ layers: [2], forwardPass(event, actions) {
  const { length } = event.hiddenState(2);
  return length === event.hiddenSize && event.layerCount === 5 ? actions.noop() : actions.error("the sizes are wrong");
} });`,
  /** Steers so that the output changes. */
  steers: `import { mod } from "midtoken/mod";
export default mod({ layers: [2], prefilled(event, actions) {
  return actions.steer({ layer: 2, vector: new Float32Array(event.hiddenSize).fill(1), scale: 3 });
} });`,
};
