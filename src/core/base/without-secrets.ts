/**
 * Removes possible secrets from the addresses in a text: user names, passwords, and the values of queries and fragments. For
 * messages, which are shown, logged and pasted into bug reports. A password with a space, `/`, `?` or `#` is removed up to the
 * last `@`: the address does not parse, so its host is not known.
 */
export function redactUrlSecrets(text: string): string {
  if (!/:[\\/]{2}/.test(text)) return text;
  return redactQueries(
    text.replace(
      /(:[\\/]{2})(?:[^\s/\\?#]*(?:@\S{0,300})?|[^\s/?#:@[]*:(?!\d{0,5}[.,;:)\]’”"]{0,3}(?:[\s/]|$)).{0,300})@/g,
      "$1…@",
    ),
  );
}

/** The text without the values of queries and fragments. */
export function redactQueries(text: string): string {
  return text
    .replace(/([?&#][^\s=&#]*)=[^\s&#]*?(?=[.,;:)\]’”"]{0,3}(?:[\s&#]|$))/g, "$1=…")
    .replace(/([?#])[^\s=&#]{16,}/g, "$1…");
}
