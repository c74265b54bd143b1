import { redactUrlSecrets } from "./without-secrets.ts";

/** A thrown value as a sentence: an Error's message, or the text of any other value. Secrets in addresses are removed. */
export function messageOf(thrown: unknown): string {
  return redactUrlSecrets(thrown instanceof Error ? thrown.message : String(thrown));
}
