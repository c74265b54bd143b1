/** How the next run would differ from the shown one, for the line above a run that the user opened. */
import { mapSamplingNames } from "../../../core/base/sampling.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { answerFieldsOfSettings } from "./answer-settings.ts";
import { settingsOfRecord } from "./settings-of-record.ts";
import { areOtherMods } from "./start-changed.ts";
import type { Stores } from "./stores.ts";
import { messagesToTurns, turnsToMessages } from "./turns.ts";

/**
 * The parts in which the shown run differs from the next one, for example ["prompt", "seed (7)"] with the shown run's seed. A seed
 * counts only while the seed of the next run is locked.
 */
export function nextRunDifference(
  { conversation, mods, model, settings }: Pick<Stores, "conversation" | "mods" | "model" | "settings">,
  request: RequestRecord,
): readonly string[] {
  const recorded = settingsOfRecord(request);
  const now = settings.getState();
  const { seed, ...others } = recorded.settings;
  const chosen = model.getState().choice?.reference.id;
  const prompt = messagesToTurns(turnsToMessages(conversation.getState().turns));
  const names = Object.keys(others) as (keyof typeof others)[];
  const hasOtherSettings =
    names.some((name) => !isSame(others[name], now[name])) ||
    !isSame(
      recorded.sampling,
      mapSamplingNames((name) => now.sampling[name]),
    ) ||
    !isSame(
      answerFieldsOfSettings({ ...now.answer, ...recorded.answer }),
      answerFieldsOfSettings(now.answer),
    );
  const differences: (string | false)[] = [
    chosen !== undefined && chosen !== request.model.id && "model",
    request.messages.length > 0 && !isSame(messagesToTurns(request.messages), prompt) && "prompt",
    areOtherMods(request, mods.getState().mods) && "mods",
    hasOtherSettings && "settings",
    now.seed !== null && now.seed !== seed && `seed (${seed})`,
  ];
  return differences.filter((each) => each !== false);
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
