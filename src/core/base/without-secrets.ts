/**
 * Takes out of a text what the addresses in it may hold of secrets: user names, passwords, and the values of queries and
 * fragments. For messages: they are shown, logged and pasted into bug reports.
 */
export function withoutSecrets(text: string): string {
  if (!text.includes("://")) return text;
  return text
    .replace(/(:\/\/)[^\s/?#]*@/g, "$1…@")
    .replace(/([?&#][^\s=&#]*)=[^\s&#]*?(?=[.,;:)\]’”"]{0,3}(?:[\s&#]|$))/g, "$1=…")
    .replace(/([?#])[^\s=&#]{16,}/g, "$1…");
}
