/** The engine's side in the suite: a worker, as in the product, that asks mods over ports which the page hands it. */
import { serializeTokenizer } from "../../src/runtime/sandbox/port-mod-host.ts";
import { type ModTask, type ModTaskResult, performTask, tokenizerData } from "./mod-task.ts";

export interface EngineTask extends ModTask {
  readonly id: number;
}

export type EngineNews =
  | { readonly type: "kill"; readonly id: number }
  | ({ readonly type: "done"; readonly id: number } & ModTaskResult);

async function perform(task: EngineTask): Promise<EngineNews> {
  const { id } = task;
  return { type: "done", id, ...(await performTask(task, () => post({ type: "kill", id }))) };
}

function post(news: EngineNews): void {
  postMessage(news);
}

addEventListener("message", ({ data }: MessageEvent<EngineTask | "tokenizer">) => {
  if (data === "tokenizer") postMessage({ type: "tokenizer", text: serializeTokenizer(tokenizerData) });
  else void perform(data).then(post);
});
