/** The lists of a vector that is being made, as they were typed: a dialog that is closed loses nothing. */
import {
  type TextForm,
  type TokenChoice,
  textForms,
  tokenChoices,
} from "../../../core/vectors/text-states.ts";
import { asChoice, asRecord, asString, type Kept, keep } from "../store/persist.ts";
import type { Stores } from "../store/stores.ts";

export interface VectorDraft {
  /** A text a line. */
  readonly toward: string;
  readonly away: string;
  readonly tokens: TokenChoice;
  readonly as: TextForm;
}

export const emptyDraft: VectorDraft = { toward: "", away: "", tokens: "last", as: "text" };

export function keptDraft({ storages, notices }: Stores): Kept<VectorDraft> {
  return keep(storages, "midtoken.vector-draft.v1", parseDraft, notices.getState().show);
}

export function parseDraft(value: unknown): VectorDraft | null {
  const fields = asRecord(value);
  if (!fields) return null;
  return {
    toward: asString(fields.toward) ?? "",
    away: asString(fields.away) ?? "",
    tokens: asChoice(fields.tokens, tokenChoices) ?? emptyDraft.tokens,
    as: asChoice(fields.as, textForms) ?? emptyDraft.as,
  };
}
