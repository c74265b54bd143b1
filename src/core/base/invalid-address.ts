/** For messages about a text that should be an address and is none. Apart from `without-secrets.ts`, which every page loads. */
import { redactQueries } from "./without-secrets.ts";

/** Hides everything before the last `@`: a password may be anywhere there. Also hides the values of queries and fragments. */
export function redactInvalidAddress(text: string): string {
  const end = text.lastIndexOf("@");
  const isAddress = /:|[\\/]{2}/.test(text.slice(0, Math.max(0, end)));
  return redactQueries(isAddress ? `…${text.slice(end)}` : text);
}
