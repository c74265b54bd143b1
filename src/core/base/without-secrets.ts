/**
 * Removes possible secrets from the addresses in a text: user names, passwords, and the values of queries and fragments. For
 * messages, which are shown, logged and pasted into bug reports. A password may have a `/`, `?` or `#` and begin with digits
 * (`http://user:12#eim@host/`), so that its beginning reads as a host with a port. Everything up to the last `@` of the word
 * is therefore hidden, unless a host with a dot, an IP address or `localhost` comes first and no `:` follows. A password with a
 * space is hidden too, unless its first word reads as a port.
 */
export function redactUrlSecrets(text: string): string {
  if (!/[\\/]{2}/.test(text)) return text;
  return redactQueries(
    text
      .replace(/\S+/g, hideUser)
      .replace(/(:[\\/]{2})[^\s/?#:@[]*:(?!\d{0,5}[.,;:)\]’”"]{0,3}(?:[\s/]|$)).{0,300}@/g, "$1…@"),
  );
}

/** A host that is no user's name, and what stands between it and an `@` without a password. */
const knownHost = /^(?:[\w-]+(?:\.[\w-]+)+|(?:localhost|[\d.]+|\[[\da-f:.]+])(?::\d+)?)[\\/?#][^:]*$/i;

/** Hides what is between `://` and the last `@` of a word. */
function hideUser(word: string): string {
  const [start = ""] = /^\W*?[\\/]{2}|^.*?:[\\/]{2}/.exec(word) ?? [];
  const end = word.lastIndexOf("@");
  const isHidden = start !== "" && end > start.length && !knownHost.test(word.slice(start.length, end));
  return isHidden ? `${start}…${word.slice(end)}` : word;
}

/** The text without the values of queries and fragments. */
export function redactQueries(text: string): string {
  return text
    .replace(/([?&#][^\s=&#]*)=[^\s&#]*?(?=[.,;:)\]’”"]{0,3}(?:[\s&#]|$))/g, "$1=…")
    .replace(/([?#])[^\s=&#]{16,}/g, "$1…");
}
