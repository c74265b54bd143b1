/**
 * Removes possible secrets from the addresses in a text: user names, passwords, and the values of queries and fragments. For
 * messages, which are shown, logged and pasted into bug reports.
 */
export function redactUrlSecrets(text: string): string {
  if (!text.includes("://")) return text;
  return text
    .replace(/(:\/\/)[^\s/?#]*@/g, "$1…@")
    .replace(/([?&#][^\s=&#]*)=[^\s&#]*?(?=[.,;:)\]’”"]{0,3}(?:[\s&#]|$))/g, "$1=…")
    .replace(/([?#])[^\s=&#]{16,}/g, "$1…");
}
