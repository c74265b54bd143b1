/** The tokens of an answer, from the engine's own records, because streams may have no usage and their clients may leave. */

import type { FinishedRecord } from "../../../core/trace/format/format.ts";
import type { MidtokenEngine, Requests } from "../../api/midtoken-engine.ts";
import type { ResponseLogNotes } from "../../http/response-notes.ts";

export interface SpentTokens {
  readonly prompt: number;
  readonly completion: number;
}

/** Null if the request used no tokens. Waits until the engine has ended the request, which may be after its client has left. */
export async function spentTokensOf(
  { requests }: MidtokenEngine,
  notes: ResponseLogNotes,
): Promise<SpentTokens | null> {
  const { usage, requestIds = [] } = notes;
  if (usage) return { prompt: usage.prompt_tokens, completion: usage.completion_tokens };
  const records = await Promise.all(requestIds.map((id) => finishedRecord(requests, id)));
  const all = records.flatMap((record) => (record ? [record.usage] : []));
  if (all.length === 0) return null;
  const prompts = all.map(({ promptTokens }) => promptTokens);
  // Several choices of one prompt count its tokens once.
  const isOnePrompt = new Set(prompts).size === 1;
  return {
    prompt: isOnePrompt ? (prompts[0] ?? 0) : sum(prompts),
    completion: sum(all.map(({ completionTokens }) => completionTokens)),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Null if the request never began, or if the engine no longer has it. */
function finishedRecord(requests: Requests, id: string): Promise<FinishedRecord | null> {
  return new Promise((resolve) => {
    let unsubscribe = (): void => undefined;
    const look = (): boolean => {
      const { status } = requests.list().find((request) => request.id === id) ?? { status: "failed" };
      if (status !== "finished" && status !== "failed") return false;
      resolve(lastRecord(requests, id));
      unsubscribe();
      return true;
    };
    if (look()) return;
    unsubscribe = requests.subscribe(({ type }) => void (type === "status" && look()), id);
  });
}

function lastRecord(requests: Requests, id: string): FinishedRecord | null {
  try {
    const last = requests.records(id).at(-1);
    return last?.type === "finished" ? last : null;
  } catch {
    return null;
  }
}

/** The model string if it names a loaded model, so that the log may contain it; otherwise null. */
export function loadedModelName({ models }: MidtokenEngine, name: string | undefined): string | null {
  if (name === undefined) return null;
  const model = models.list().find(({ id }) => name === id || name.startsWith(`${id}/`));
  if (!model) return null;
  const mods = name.slice(model.id.length);
  return /^(?:\/[a-z0-9_,-]{1,200})?$/.test(mods) ? name : model.id;
}
