/** One row of logits: computed, edited by mods, sampled. */
import { untilAborted } from "../base/abort.ts";
import { uniform } from "../base/random.ts";
import { type Action, InvalidActionError } from "../sdk/action.ts";
import type { TokenId } from "../sdk/request.ts";
import type { Advance } from "./context.ts";
import { editLogits, rowProblem } from "./logits.ts";
import type { Row, Run } from "./run.ts";
import type { Choice } from "./sampler.ts";
import { recordScores, rowsToScore } from "./scores.ts";
import { type Summary, summarize, summarizeEdited } from "./summary.ts";

/** Lets the model read what it has not seen of the output, and gives the logits for the next token. @throws ForwardError, or the signal's reason. */
export async function computeRow(run: Run): Promise<Row> {
  const { ports, output, request } = run;
  const { model, now } = ports;
  const known = model.sharedLength(output.sequence);
  const knownRow = model.rowAfter(known);
  const isPrefill = run.steps === 0;
  const advance = isPrefill
    ? await readPromptPasses(run)
    : await model.advance(output.sequence, now, rowsToScore(output, known, model.model.vocabularySize));
  if (isPrefill) notePrefill(run, advance);
  if (isPrefill || advance.passes.length > 0) run.passes += 1;
  const before = advance.rows.at(-1) ?? new Float32Array();
  const summary = checkedSummary(run, before);
  // A prompt's earlier passes stand in the trace already.
  const lastPass = advance.passes.at(-1) ?? { tokenCount: 0, durationMs: 0 };
  run.recorder.forwardPass(output.length, lastPass, output.sequence.length, summary);
  recordScores(run, known, knownRow, advance.rows);
  const draw = uniform(request.seed, run.steps++);
  run.row = {
    step: output.length,
    before,
    summary,
    after: before,
    summaryAfter: summary,
    temperature: null,
    draw,
  };
  return run.row;
}

/** Lets the model read the prompt. Each pass but the last is written down as it ends: the prompt's progress is read from the trace. */
function readPromptPasses({ ports, output, recorder }: Run): Promise<Advance> {
  const { model, now, signal, gate } = ports;
  return model.prefill(output.sequence, {
    now,
    beforePass: () => untilAborted(gate?.("pass") ?? Promise.resolve(), signal),
    onPass(pass, contextLength) {
      if (contextLength < output.sequence.length) recorder.forwardPass(0, pass, contextLength, null);
    },
  });
}

/** Composes one mod's edit onto the row. @throws InvalidActionError when it leaves nothing to sample. */
export function editRow(run: Run, row: Row, action: Action): void {
  if (action.type !== "adjustLogits") return;
  const edited = editLogits(row.after, action.logits, roomBeside(run, row));
  const summary = summarizeEdited(edited, row.after, row.summaryAfter);
  if (!Number.isFinite(summary.logSumExp)) {
    throw new InvalidActionError(action.type, "forwardPass", rowProblem(edited) ?? undefined);
  }
  row.after = edited;
  row.summaryAfter = summary;
  row.temperature = action.temperature ?? row.temperature;
}

/** An array for the next edit: two take turns, since memory that is new at each token would be collected as often. */
function roomBeside({ editedRows }: Run, { before, after }: Row): Float32Array {
  const free = editedRows.find((room) => room !== after);
  if (free !== undefined) return free;
  const room = new Float32Array(before.length);
  editedRows.push(room);
  return room;
}

/** Writes down what the mods made of the row, if anything. */
export function recordEdits(run: Run, row: Row): void {
  if (row.after === row.before && row.temperature === null) return;
  run.recorder.adjusted(row.step, row.summaryAfter, row.temperature);
}

/** What was chosen, and the work that need not be done before the mods are asked about it. */
interface Sampled {
  readonly token: TokenId;
  readonly logprob: number;
  /** Writes it down, with what the same draw would have chosen without the mods. */
  readonly record: () => void;
}

/** Chooses the next token. */
export function sampleRow(run: Run, row: Row): Sampled {
  const isEdited = row.after !== row.before || row.temperature !== null;
  const original = isEdited ? row.before : undefined;
  const choice = chooseFrom(run, row, original);
  const logprob = logprobOf(choice.token, row.after, row.summaryAfter);
  const record = () => {
    const unedited = isEdited
      ? chooseFrom(run, { ...row, after: row.before, temperature: null }, original).token
      : null;
    run.recorder.sampled({
      step: row.step,
      choice,
      draw: row.draw,
      logprobBefore: logprobOf(choice.token, row.before, row.summary),
      logprobAfter: logprob,
      ghost: unedited === choice.token ? null : unedited,
    });
  };
  return { token: choice.token, logprob, record };
}

/** What the row's draw takes from it. The output has to be as it was when the row was computed. `original`: see Sampler. */
export function chooseFrom(run: Run, row: Row, original?: Float32Array): Choice {
  const { sampling } = run.request;
  const settings = row.temperature === null ? sampling : { ...sampling, temperature: row.temperature };
  const history = { tokens: run.output.sequence, promptLength: run.output.promptLength };
  return run.sampler.sample(row.after, settings, history, row.draw, original);
}

function logprobOf(token: TokenId, logits: Float32Array, { logSumExp }: Summary): number {
  return (logits[token] ?? 0) - logSumExp;
}

function notePrefill(run: Run, { reused, passes }: Advance): void {
  run.reusedTokens = reused;
  run.prefillMs = passes.reduce((sum, { durationMs }) => sum + durationMs, 0);
  run.decodeStartMs = run.ports.now();
}

/** @throws ForwardError when the row is not one that a model means: a device that computes wrong must not pass for an answer. */
function checkedSummary(run: Run, logits: Float32Array): Summary {
  const summary = summarize(logits);
  if (Number.isFinite(summary.logSumExp)) return summary;
  const problem = rowProblem(logits) ?? "";
  throw run.ports.model.fail(`its logits cannot be sampled. ${problem} Load the model again.`);
}
