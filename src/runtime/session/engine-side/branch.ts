/** Checks whether the loaded model can continue a branch of another request. */
import { countWithNoun } from "../../../core/base/number-text.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { TraceModelInfo } from "../../../core/trace/format/format-request.ts";
import type { RunRequest } from "../shared/requests.ts";

/** @throws RangeError that says what is wrong with the branch point, or which model the branch needs. */
export function checkBranchPoint(
  { branchPoint, mods }: Pick<RunRequest, "branchPoint" | "mods">,
  loaded: TraceModelInfo,
): void {
  if (!branchPoint) return;
  const { records, at, kept = 0, token, follows } = branchPoint;
  const request = records[0];
  if (request?.type !== "request") {
    throw new RangeError("The run to branch from has no recorded request: run it again, then branch.");
  }
  const { model } = request;
  const isSame = model.id === loaded.id && model.revision === loaded.revision && model.file === loaded.file;
  if (!isSame) {
    throw new RangeError(
      `The run to branch from used ${nameOf(model)}, but ${nameOf(loaded)} is loaded: choose the run's model, then branch again.`,
    );
  }
  if (!Number.isInteger(at) || at < 1 || at > records.length) {
    throw new RangeError(
      `The branch point's "at" is ${at}: give the index of a record, from 1 to ${records.length}.`,
    );
  }
  const here = records[at];
  const most = here?.type === "added" ? here.tokens.length : 0;
  if (!(Number.isInteger(kept) && kept >= 0 && kept <= most)) {
    throw new RangeError(
      `The branch preserves ${kept} forced tokens of record ${at}, which forced ${most}: give a number from 0 to ${most}.`,
    );
  }
  const strange = strangeToken(records, loaded.vocabularySize);
  if (strange !== null) {
    throw new RangeError(
      `The run to branch from used another model: it has token ${strange}, but ${nameOf(loaded)} has only ${loaded.vocabularySize} tokens. Choose the run's model, then branch again.`,
    );
  }
  if (follows && follows.length !== mods.length) {
    throw new RangeError(
      `The branch point's "follows" has ${follows.length === 1 ? "1 entry" : `${follows.length} entries`}, but the branch has ${countWithNoun(mods.length, "mod")}: give one entry for each mod.`,
    );
  }
  const stranger = follows?.find((mod) => mod !== null && !(Number.isInteger(mod) && request.mods[mod]));
  if (stranger !== undefined) {
    throw new RangeError(
      `The branch point's "follows" has the entry ${stranger}, but the recorded run has ${countWithNoun(request.mods.length, "mod")}: give the index of a recorded mod, counted from 0, or null.`,
    );
  }
  if (token !== null && !(Number.isInteger(token) && token >= 0 && token < loaded.vocabularySize)) {
    throw new RangeError(
      `The branch begins with token ${token}: it must be a whole number below ${loaded.vocabularySize}.`,
    );
  }
}

/**
 * The first token id that is beyond the model's vocabulary, because an imported record may contain any number; null if there
 * is none.
 */
function strangeToken(records: readonly TraceRecord[], vocabularySize: number): number | null {
  for (const record of records) {
    if (record.type !== "prefilled" && record.type !== "added") continue;
    const found = record.tokens.find(({ token }) => !(token >= 0 && token < vocabularySize));
    if (found) return found.token;
  }
  return null;
}

function nameOf({ id, file }: TraceModelInfo): string {
  return file === "" ? id : `${id} (${file})`;
}
