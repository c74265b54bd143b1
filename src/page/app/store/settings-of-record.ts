/** The page's settings for the next run with which a recorded run would be repeated. */

import { separateBanningMod } from "../../../core/sdk/banned-strings.ts";
import { isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import { answerSettingsOfRecord } from "./answer-settings.ts";
import { limitsOfRecord } from "./limit-settings.ts";
import { clampSamplingOfRecord } from "./sampling-of.ts";

export function settingsOfRecord(request: RequestRecord) {
  const { maxTokens, seed, stop, onModError } = request;
  const written = separateBanningMod(ownMods(request).filter((mod) => !isRequestFormatMod(mod)));
  return {
    /** The mods that the user wrote. The page makes further mods of its settings, which are left out. */
    mods: written.mods,
    settings: {
      maxTokens,
      seed,
      stop,
      bannedStrings: written.phrases,
      onModError,
      limits: limitsOfRecord(request),
    },
    sampling: clampSamplingOfRecord(request),
    answer: answerSettingsOfRecord(request),
  };
}
