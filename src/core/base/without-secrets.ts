/**
 * Removes possible secrets from the addresses in a text: user names, passwords, and the values of queries and fragments. For
 * messages, which are shown, logged and pasted into bug reports. A password may have a `/`, `?` or `#` and begin with digits
 * (`http://user:12#eim@host/`): its beginning then reads as a host with a port. So everything between `://` and the last `@` of
 * the word is removed, unless a host surely comes first.
 */
export function redactUrlSecrets(text: string): string {
  if (!schemeEnd.test(text)) return text;
  return redactQueries(text.replace(/\S+/g, redactWord).replace(passwordWithSpace, "$1…@"));
}

/** `://`, also with the wrong slashes. */
const schemeEnd = /:[\\/]{2}/;

/** A name with a dot and a path, behind which no `:` comes. Without a dot, the name may be that of a user. */
const sureHost = /^[\w-]+\.[\w.-]+[\\/?#][^:]*:?$/;

/** Behind `://`, a name and a `:` that no port follows, and an `@` in one of the next words. */
const passwordWithSpace = /(:[\\/]{2})[^\s/?#:@[]*:(?!\d{0,5}[.,;:)\]’”"]{0,3}(?:[\s/]|$)).{0,300}@/g;

function redactWord(word: string): string {
  const start = word.search(schemeEnd) + 3;
  const end = word.lastIndexOf("@");
  if (start < 3 || end < start || sureHost.test(word.slice(start))) return word;
  return `${word.slice(0, start)}…${word.slice(end)}`;
}

/** The text without the values of queries and fragments. */
export function redactQueries(text: string): string {
  return text
    .replace(/([?&#][^\s=&#]*)=[^\s&#]*?(?=[.,;:)\]’”"]{0,3}(?:[\s&#]|$))/g, "$1=…")
    .replace(/([?#])[^\s=&#]{16,}/g, "$1…");
}
