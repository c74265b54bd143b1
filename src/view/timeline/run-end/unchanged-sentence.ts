/** Says why a mod changed nothing in a run: it was not called, returned no action, or its actions had no effect. Pure. */
import { countWithNoun, formatCount } from "../../../core/base/number-text.ts";
import type { ModCallRecord } from "../../../core/trace/format/format.ts";
import { isSilent, modCallSummary } from "../../../core/trace/model/call-summary.ts";
import { isSuperseded } from "../../../core/trace/model/trace-items.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modName } from "../../../core/trace/model/trace-view.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import type { ModShare } from "../ribbon/ribbon-cells.ts";

/** The most UTF-16 units of a summary or an error. */
const longestText = 200;

/**
 * One sentence about a mod without a mark in the text. `share`: the tokens of the mod; undefined if it has none.
 *
 * Example: `ban-word` banned " Tom" at 40 tokens, and the model would not have written " Tom" at any of them. The sentence is
 * "ban-word changed the probabilities of 40 tokens, but the same tokens came out."
 */
export function unchangedSentence(trace: TraceModel, mod: number, share: ModShare | undefined): string {
  const name = modName(trace, mod);
  const nothing = `${name} changed nothing in this run`;
  const calls = trace.records.filter(
    (record): record is ModCallRecord => record.type === "modCall" && record.mod === mod,
  );
  const fault = calls.find((call) => call.fault !== null)?.fault;
  if (fault) {
    const place = fault.line === null ? "" : ` in line ${fault.line}`;
    return sentence(`${nothing}, because it failed${place}: ${short(fault.message)}`);
  }
  if (share && share.same > 0)
    return `${name} changed the probabilities of ${countWithNoun(share.same, "token")}, but the same tokens came out.`;
  const acting = calls.filter((call) => !isSilent(call) && call.action.type !== "noop");
  const done = acting.find((call) => !isSuperseded(call) && call.action.type !== "adjustLogits");
  if (done) return sentence(`${name} ${short(modCallSummary(done))}`);
  const late = acting.filter(({ superseded, event }) => superseded && event !== "finished").length;
  if (late > 0) return `${nothing}: another mod acted first${late === 1 ? "" : `, ${times(late)}`}.`;
  if (calls.length === 0) return `${nothing}: none of its handlers was called.`;
  return `${nothing}: it was called ${times(calls.length)} and returned no action.`;
}

const short = (text: string) => `\u2068${showInvisibleCharacters(text, longestText)}\u2069`;

/** An error message may have its own full stop. */
const sentence = (text: string) => (/[.!?…]\u2069$/.test(text) ? text : `${text}.`);

function times(count: number): string {
  if (count === 1) return "once";
  return count === 2 ? "twice" : `${formatCount(count)} times`;
}
