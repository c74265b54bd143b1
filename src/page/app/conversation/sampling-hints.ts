/** The sentences under the fields of sampling. Apart from `samplingNumbers`, because a link's page needs that table, but no fields. */
import type { SamplingName } from "../../../core/base/sampling.ts";

/** One sentence for each setting: its effect. */
export const samplingHints: Readonly<Record<SamplingName, string>> = {
  repetitionPenalty: "Above 1, tokens seen before become less likely.",
  presencePenalty: "Subtracted once from the logit of each token already written; 0 is off.",
  frequencyPenalty: "Subtracted from a token’s logit once for each time the token was written; 0 is off.",
  temperature: "Lower values favour likely tokens; 0 always takes the most likely token.",
  topK: "Only this many of the most likely tokens can be drawn; 0 is off.",
  topP: "Only the most likely tokens that together reach this probability can be drawn; 1 is off.",
  minP: "Drops tokens below this fraction of the highest probability; 0 is off.",
};
