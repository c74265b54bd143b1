/** Describes the last record of a run that is paused or played back. */

import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { modCallSummary } from "../../../core/trace/model/call-summary.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modName, quote, textToQuote } from "../../../core/trace/model/trace-view.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { countWithNoun, formatCount } from "../../ui/format.ts";

/** Describes the record, in words for the middle of a sentence. `trace` ends with this record. */
export function describeLastRecord(trace: TraceModel, record: TraceRecord | undefined): string {
  switch (record?.type) {
    case "prefilled":
      return `the prompt (${countWithNoun(record.tokens.length, "token")}) is ready`;
    case "forwardPass":
      return `the model computed the probabilities for token ${formatCount(record.step + 1)}`;
    case "adjusted":
      return `the mods changed the probabilities for token ${formatCount(record.step + 1)}`;
    case "scored":
      return `the model computed the probabilities of ${countWithNoun(record.logprobs.length, "token")} that a mod wrote`;
    case "sampled":
      return `${quote(record.text)} is drawn as token ${formatCount(record.step + 1)}, but not yet added`;
    case "added": {
      const text = textToQuote(record.tokens.length, (place) => record.tokens[place]?.text);
      return `${quote(text)} is added: ${countWithNoun(record.step, "token")} so far`;
    }
    case "backtracked":
      return `${countWithNoun(record.removed.length, "token")} ${record.removed.length === 1 ? "is" : "are"} removed`;
    case "modCall":
      return `the mod ${showInvisibleCharacters(modName(trace, record.mod))} replied to “${record.event}”: ${showInvisibleCharacters(modCallSummary(record)).replace(/\.$/, "")}`;
    case "finished":
      return "the run ends";
    default:
      return "nothing has happened yet";
  }
}
