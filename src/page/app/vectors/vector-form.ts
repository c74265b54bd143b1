/** The typed lists of a new vector. They are saved, so that closing the dialog loses nothing. */
import {
  type TextForm,
  type TokenPooling,
  textForms,
  tokenPoolings,
} from "../../../core/vectors/text-states.ts";
import { asChoice, asRecord, asString, openStoredValue, type StoredValue } from "../store/persist.ts";
import type { Stores } from "../store/stores.ts";

export interface VectorForm {
  /** One text per line. */
  readonly toward: string;
  readonly away: string;
  readonly tokens: TokenPooling;
  readonly as: TextForm;
}

export const emptyVectorForm: VectorForm = { toward: "", away: "", tokens: "last", as: "text" };

export function storedVectorForm({ storages, trouble }: Stores): StoredValue<VectorForm> {
  return openStoredValue(storages, "midtoken.vector-draft.v1", parseVectorForm, trouble);
}

export function parseVectorForm(value: unknown): VectorForm | null {
  const fields = asRecord(value);
  if (!fields) return null;
  return {
    toward: asString(fields.toward) ?? "",
    away: asString(fields.away) ?? "",
    tokens: asChoice(fields.tokens, tokenPoolings) ?? emptyVectorForm.tokens,
    as: asChoice(fields.as, textForms) ?? emptyVectorForm.as,
  };
}
