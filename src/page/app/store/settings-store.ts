/** The user's settings for the page and for sampling: theme, pane sizes, sampling, limits, seed. */

import { createStore, type StoreApi } from "zustand/vanilla";
import { requestDefaults, sharedDefaults } from "../../../core/base/request-defaults.ts";
import { isInRange, mapSamplingNames, type SamplingSettings } from "../../../core/base/sampling.ts";
import {
  type AnswerFormatSettings,
  defaultAnswerFormatSettings,
  parseAnswerFormatSettings,
} from "./answer-settings.ts";
import { defaultLimits, type LimitSettings, parseLimits } from "./limit-settings.ts";
import { asChoice, asNumber, asRecord, type StoredValue, type UnusableTextHandling } from "./persist.ts";
import { fieldsToUndo, type Undo } from "./take-back.ts";

export type Theme = "system" | "light" | "dark";

export interface Settings {
  readonly theme: Theme;
  /**
   * Shares in percent: `writeShare` of the page's width, `editorShare` of the left column's height, `ribbonShare` of the
   * read pane's height.
   */
  readonly writeShare: number;
  readonly editorShare: number;
  readonly ribbonShare: number;
  readonly sampling: SamplingSettings;
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** Phrases that the output must not contain. */
  readonly bannedStrings: readonly string[];
  /** Null: a new seed for each run. */
  readonly seed: number | null;
  readonly onModError: "stop" | "continue";
  readonly shadeProbability: boolean;
  readonly foldRemoved: boolean;
  /** Whether words are shaded by the layer at which they were decided. */
  readonly shadeLayers: boolean;
  /** Whether the layers of each selected step are read without being asked for. */
  readonly showsLayers: boolean;
  /** Whether the hidden states of layers are kept as well. */
  readonly keepsHidden: boolean;
  readonly letterKeys: boolean;
  /** False before the first run of this browser: the page then shows only what a first run needs. */
  readonly showsAll: boolean;
  readonly answer: AnswerFormatSettings;
  readonly limits: LimitSettings;
  /** Most bytes of all loaded models together; null: `defaultMemoryBudget`. */
  readonly memoryBudget: number | null;
}

/** The largest value of the setting “Max tokens”. */
export const largestMaxTokens = 100_000;

/** Range of the memory budget, in bytes. */
export const memoryBudgetRange = { min: 0.1e9, max: 256e9 } as const;

export interface SettingsState extends Settings {
  /**
   * Each function changes settings and returns a function that undoes the change, except for settings that were changed again
   * since. A change beyond the editor's limits changes nothing and shows a notice.
   */
  change(changes: Partial<Settings>): Undo;
  changeSampling(changes: Partial<SamplingSettings>): Undo;
  changeAnswer(changes: Partial<AnswerFormatSettings>): Undo;
}

export const defaultSettings: Settings = {
  theme: "system",
  writeShare: 42,
  editorShare: 56,
  ribbonShare: 54,
  sampling: requestDefaults.page.sampling,
  maxTokens: requestDefaults.page.maxTokens,
  stop: [],
  bannedStrings: [],
  seed: requestDefaults.page.seed,
  onModError: sharedDefaults.onModError,
  shadeProbability: false,
  foldRemoved: false,
  shadeLayers: false,
  showsLayers: false,
  keepsHidden: false,
  letterKeys: true,
  showsAll: false,
  answer: defaultAnswerFormatSettings,
  limits: defaultLimits,
  memoryBudget: null,
};

export function createSettingsStore(
  stored: StoredValue<Settings>,
  problemOf: UnusableTextHandling["settingsProblem"],
  say: (sentence: string) => void,
): StoreApi<SettingsState> {
  const store = createStore<SettingsState>()((set, get) => ({
    ...defaultSettings,
    ...stored.load(),
    change(changes) {
      const before = get();
      const isLong = ["stop", "bannedStrings", "answer"].some((name) => name in changes);
      const problem = isLong
        ? problemOf({ ...before, ...changes }, "With this change the settings would have")
        : null;
      if (problem !== null) {
        say(`${problem} Nothing was changed.`);
        return () => {};
      }
      set(changes);
      return () => set(fieldsToUndo<Settings>(before, changes, get()));
    },
    changeSampling(changes) {
      const before = get().sampling;
      const apply = (fields: Partial<SamplingSettings>) =>
        set(({ sampling }) => ({ sampling: { ...sampling, ...fields } }));
      apply(changes);
      return () => apply(fieldsToUndo(before, changes, get().sampling));
    },
    changeAnswer(changes) {
      const before = get().answer;
      const apply = (fields: Partial<AnswerFormatSettings>) =>
        get().change({ answer: { ...get().answer, ...fields } });
      apply(changes);
      return () => void apply(fieldsToUndo(before, changes, get().answer));
    },
  }));
  store.subscribe(
    ({ change: _change, changeSampling: _changeSampling, changeAnswer: _changeAnswer, ...settings }) =>
      stored.save(settings),
  );
  return store;
}

/**
 * Each valid field, and the default for each other field. Unknown fields are skipped, because a page of another version may
 * have stored them: a refusal would lose the user's settings. A workspace file reports unknown fields
 * (`workspace/unknown-fields.ts`).
 */
export function parseSettings(value: unknown): Settings | null {
  const fields = asRecord(value);
  if (!fields) return null;
  const initial = defaultSettings;
  const share = (name: "writeShare" | "editorShare" | "ribbonShare") =>
    asNumber(fields[name], 10, 90) ?? initial[name];
  type Flag =
    | "shadeProbability"
    | "foldRemoved"
    | "shadeLayers"
    | "showsLayers"
    | "keepsHidden"
    | "letterKeys"
    | "showsAll";
  const flag = (name: Flag) => (typeof fields[name] === "boolean" ? fields[name] : initial[name]);
  return {
    theme: asChoice(fields.theme, ["system", "light", "dark"]) ?? initial.theme,
    writeShare: share("writeShare"),
    editorShare: share("editorShare"),
    ribbonShare: share("ribbonShare"),
    sampling: parseSampling(fields.sampling),
    maxTokens: asNumber(fields.maxTokens, 1, largestMaxTokens) ?? initial.maxTokens,
    stop: texts(fields.stop),
    bannedStrings: texts(fields.bannedStrings),
    seed: fields.seed === null ? null : (asNumber(fields.seed, 0, 0xffffffff) ?? initial.seed),
    onModError: asChoice(fields.onModError, ["stop", "continue"]) ?? initial.onModError,
    shadeProbability: flag("shadeProbability"),
    foldRemoved: flag("foldRemoved"),
    shadeLayers: flag("shadeLayers"),
    showsLayers: flag("showsLayers"),
    keepsHidden: flag("keepsHidden"),
    letterKeys: flag("letterKeys"),
    showsAll: flag("showsAll"),
    answer: parseAnswerFormatSettings(fields.answer),
    limits: parseLimits(fields.limits),
    memoryBudget: asNumber(fields.memoryBudget, memoryBudgetRange.min, memoryBudgetRange.max),
  };
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((text) => typeof text === "string" && text !== "") : [];

/** The page has no field for the logit bias, so no logit bias is saved. */
function parseSampling(value: unknown): SamplingSettings {
  const fields = asRecord(value) ?? {};
  const initial = defaultSettings.sampling;
  return {
    ...initial,
    ...mapSamplingNames((name, about) => (isInRange(about, fields[name]) ? fields[name] : initial[name])),
  };
}
