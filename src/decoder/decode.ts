/**
 * The decode loop: one request from prompt to finish reason. Mods answer its events with actions, and the recorder writes
 * everything down. No clock, no randomness and no I/O of its own.
 */
import { untilAborted } from "../base/abort.ts";
import type { FinishedRecord } from "../trace/format.ts";
import { apply } from "./apply.ts";
import { endingOf, finish, reachedEnd } from "./ending.ts";
import { ask } from "./mods.ts";
import { readPrompt } from "./prompt.ts";
import type { DecodeRequest } from "./request.ts";
import { computeRow, editRow, recordEdits, sampleRow } from "./row.ts";
import { type Change, type DecodePorts, type Ending, type Run, startRun } from "./run.ts";

/**
 * Decodes one request. What a mod or the model does wrong is in the trace and in the reason to finish; it never rejects for it.
 * @throws RangeError for a request that cannot be decoded at all (`checkRequest`): a bug of the caller.
 */
export async function decode(request: DecodeRequest, ports: DecodePorts): Promise<FinishedRecord> {
  const run = startRun(request, ports);
  const ending = await play(run).catch((error: unknown) => endingOf(error, ports.signal));
  return finish(run, ending);
}

/** Step by step, until there is a reason to end. */
async function play(run: Run): Promise<Ending> {
  let ending = await settle(run, await readPrompt(run));
  while (!ending) {
    await untilAborted(run.ports.gate?.() ?? Promise.resolve(), run.ports.signal);
    ending = await settle(run, await step(run));
  }
  return ending;
}

/** One step: the model, the mods, the sampler, the mods. Gives the change to make to the output. */
async function step(run: Run): Promise<Change> {
  const row = await computeRow(run);
  const { emitted } = run.output;
  const at = { requestId: run.request.requestId, step: row.step, emitted };

  const steered = await ask(run, {
    type: "forwardPass",
    event: () => ({ type: "forwardPass", ...at, logits: row.after, logSumExp: row.summaryAfter.logSumExp }),
    edit: (action) => editRow(run, row, action),
  });
  recordEdits(run, row);
  if (steered) return steered;

  const { token, logprob, record } = sampleRow(run, row);
  const vetoed = await ask(run, {
    type: "sampled",
    event: () => ({ type: "sampled", ...at, token, text: run.output.textToAdd(token), logprob }),
    meanwhile: record,
  });
  return vetoed ?? { type: "sampled", token };
}

/** Makes a change, then the one that a mod answers to it, and so on; then looks whether the output is at its end. */
async function settle(run: Run, first: Change | null): Promise<Ending | null> {
  for (let change = first; change; change = await apply(run, change)) {
    if (change.type === "end") return change.ending;
    run.ports.signal?.throwIfAborted();
  }
  return reachedEnd(run);
}
