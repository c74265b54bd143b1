import { withoutSecrets } from "./without-secrets.ts";

/** What was thrown, as a sentence: an Error's message, and everything else as its text. Addresses in it show no secrets. */
export function messageOf(thrown: unknown): string {
  return withoutSecrets(thrown instanceof Error ? thrown.message : String(thrown));
}
