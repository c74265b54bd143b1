/** Whether the settings of a recorded run fit into the editor, and into the browser's storage beside the user's own data. */
import { formatCount } from "../../../core/base/number-text.ts";
import { isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import { answerSettingsOfRecord } from "./answer-settings.ts";
import { modsProblem, settingsProblem, turnsProblem } from "./editor-limits.ts";
import { storageHasRoom } from "./persist.ts";
import { isCopyOf } from "./put-to-work.ts";
import type { Stores } from "./stores.ts";
import { messagesToTurns } from "./turns.ts";

/** Characters of storage that must stay free for the text that the user writes next. */
const reserve = 131_072;
const stays = "Nothing was changed. You can still read the run here.";

/** The reason why a run cannot be forked, with what to do; null if it can. Changes nothing. */
export function forkProblem({ mods, settings, storages }: Stores, request: RequestRecord): string | null {
  const tooMuch =
    turnsProblem(messagesToTurns(request.messages), "The run’s prompt has") ??
    // The size is checked before anything is parsed.
    settingsProblem(
      {
        stop: request.stop,
        answer: {
          schema: request.responseFormat ?? "",
          tools: `[${request.tools.join(",")}]`,
          toolChoice: "",
        },
      },
      "The run has",
    );
  if (tooMuch !== null) return `${tooMuch} ${stays}`;
  const answer = { ...settings.getState().answer, ...answerSettingsOfRecord(request) };
  const indented = settingsProblem({ stop: request.stop, answer }, "The run has");
  if (indented !== null) return `${indented} ${stays}`;
  const prompt = JSON.stringify([request.messages, request.stop, answer]).length;
  const here = mods.getState().mods;
  const fresh = ownMods(request).filter(
    (mod) => !isRequestFormatMod(mod) && !here.some((each) => isCopyOf(each, mod)),
  );
  const tooMany = modsProblem(here.length + fresh.length);
  if (tooMany !== null) return `${tooMany} Nothing was changed.`;
  // The stored texts, each with its key.
  const added = fresh.reduce(
    (sum, { source, entry }) => sum + JSON.stringify([source, entry]).length + 200,
    0,
  );
  if (
    !storageHasRoom(storages.browser, added + prompt + reserve) ||
    !storageHasRoom(storages.tab, prompt + reserve)
  ) {
    return `This browser’s storage has no room for ${fresh.length === 1 ? "the run’s mod" : `the run’s ${fresh.length} mods`} (${formatCount(added)} characters) in addition to your own mods. Nothing was changed: delete mods that you do not need, then fork again.`;
  }
  return null;
}
