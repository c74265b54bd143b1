/**
 * Takes out of a text what the addresses in it may hold of secrets: user names, passwords, and the values of queries and
 * fragments. For messages: they are shown, logged and pasted into bug reports.
 */
export function withoutSecrets(text: string): string {
  if (!text.includes("://")) return text;
  // The bound on the scheme keeps the search in proportion to the text's length.
  return text.replace(/\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s<>"“”]+/gi, redacted);
}

function redacted(address: string): string {
  const [, beforeHost = "", rest = ""] = /^([a-z\d+.-]+:\/\/)(.*)$/i.exec(address) ?? [];
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const at = authority.lastIndexOf("@");
  const host = at < 0 ? authority : `…@${authority.slice(at + 1)}`;
  const path = end < 0 ? "" : rest.slice(end);
  return beforeHost + host + withoutValues(path);
}

/** The names of a query stay; a query without names that is as long as a key goes. What ends a sentence stays. */
function withoutValues(path: string): string {
  return path
    .replace(/([?&#][^=&#]*)=([^&#]*?)([.,;:)’'\]]*)(?=[&#]|$)/g, "$1=…$3")
    .replace(/([?#])[^=&#]{16,}?([.,;:)’'\]]*)(?=[#]|$)/g, "$1…$2");
}
