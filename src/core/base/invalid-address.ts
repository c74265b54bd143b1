/** Addresses in messages: a text that should be an address and is none, and the host alone. Apart from `without-secrets.ts`, which every page loads. */
import { redactQueries, redactUrlSecrets } from "./without-secrets.ts";

/** Hides everything before the last `@`: a password may be anywhere there. Also hides the values of queries and fragments. */
export function redactInvalidAddress(text: string): string {
  const end = text.lastIndexOf("@");
  const isAddress = /:|[\\/]{2}/.test(text.slice(0, Math.max(0, end)));
  return redactQueries(isAddress ? `…${text.slice(end)}` : text);
}

/** The host and port of an address. Not `URL.host`, which for `http://user:12#eim@host/` is "user:12", a part of the password. */
export function hostInMessages(address: string): string {
  const [, sure] = /^\w+:[\\/]{2}((?:localhost|[\d.]+|\[[^@]+])(?::\d+)?)[\\/?#]/.exec(address) ?? [];
  const shown = redactUrlSecrets(address).replace("…@", "");
  return sure ?? /:[\\/]{2}([^\\/?#]*)/.exec(shown)?.[1] ?? "";
}
