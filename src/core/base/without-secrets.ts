/**
 * Removes possible secrets from the addresses in a text: user names, passwords, and the values of queries and fragments. For
 * messages, which are shown, logged and pasted into bug reports. A password may have a `/`, `?` or `#` and begin with digits
 * (`http://user:12#eim@host/`): its beginning then reads as a host with a port. So the text up to the last `@` of the word is
 * removed, unless the address begins with a name that has a dot and no `:` follows. A password with a space is removed too,
 * unless its first word reads as a port.
 */
export function redactUrlSecrets(text: string): string {
  if (!/:[\\/]{2}/.test(text)) return text;
  return redactQueries(
    text.replace(
      /(:[\\/]{2})(?![\w-]+\.[\w.-]+[\\/?#][^:\s]*:?(?!\S))(?:[^\s/\\?#]*(?:[@/\\?#]\S{0,300})?|[^\s/?#:@[]*:(?!\d{0,5}[.,;:)\]’”"]{0,3}(?:[\s/]|$)).{0,300})@/g,
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
