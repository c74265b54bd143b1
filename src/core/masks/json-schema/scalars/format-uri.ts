/** Formats of addresses, as regular expressions: RFC 3986 (URI), 3987 (IRI), 6570 (template), 4291 (IPv6). */

const octet = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
export const ipv4 = String.raw`(?:${octet}\.){3}${octet}`;

const h16 = "[0-9A-Fa-f]{1,4}";
const ls32 = `(?:${h16}:${h16}|${ipv4})`;
/** RFC 3986 appendix A, IPv6address: one alternative for each number of groups before "::". */
export const ipv6 = `(?:${[
  `(?:${h16}:){6}${ls32}`,
  `::(?:${h16}:){5}${ls32}`,
  ...[4, 3, 2, 1, 0].map(
    (after, before) => `(?:(?:${h16}:){0,${before}}${h16})?::(?:${h16}:){${after}}${ls32}`,
  ),
  `(?:(?:${h16}:){0,5}${h16})?::${h16}`,
  `(?:(?:${h16}:){0,6}${h16})?::`,
].join("|")})`;

/** RFC 3987 section 2.2, ucschar. */
const ucschar = `\\u{A0}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}${Array.from(
  { length: 14 },
  (_, plane) => {
    const high = (plane + 1).toString(16);
    return `\\u{${high}${high === "e" ? "1000" : "0000"}}-\\u{${high}FFFD}`;
  },
).join("")}`;
const iprivate = "\\u{E000}-\\u{F8FF}\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}";

const percent = "%[0-9A-Fa-f]{2}";
const subDelims = "!$&'()*+,;=";
const scheme = "[A-Za-z][A-Za-z0-9+.\\-]*";

/** The productions of RFC 3986 appendix A; `letters` are what RFC 3987 adds to unreserved, `privates` to the query. */
function productions(letters: string, privates: string) {
  const unreserved = `A-Za-z0-9\\-._~${letters}`;
  const pchar = `(?:[${unreserved}${subDelims}:@]|${percent})`;
  const userinfo = `(?:[${unreserved}${subDelims}:]|${percent})*`;
  const literal = `\\[(?:${ipv6}|[Vv][0-9A-Fa-f]+\\.[A-Za-z0-9\\-._~${subDelims}:]+)\\]`;
  const name = `(?:[${unreserved}${subDelims}]|${percent})*`;
  const segments = `(?:/${pchar}*)*`;
  const absolute = `/(?:${pchar}+${segments})?`;
  const authority = `//(?:${userinfo}@)?(?:${literal}|${name})(?::\\d*)?${segments}`;
  const query = `(?:\\?(?:[${unreserved}${subDelims}:@/?${privates}]|${percent})*)?`;
  const fragment = `(?:#(?:[${unreserved}${subDelims}:@/?]|${percent})*)?`;
  const noColon = `(?:[${unreserved}${subDelims}@]|${percent})+`;
  const whole = `${scheme}:(?:${authority}|${absolute}|${pchar}+${segments})${query}${fragment}`;
  const relative = `(?:${authority}|${absolute}|${noColon}${segments})?${query}${fragment}`;
  return { whole, reference: `(?:${whole}|${relative})` };
}

const ascii = productions("", "");
const international = productions(ucschar, iprivate);

/** A URI has something after the scheme's colon here. "a:" alone is also a URI, but no common validator accepts it. */
export const uri = ascii.whole;
export const uriReference = ascii.reference;
export const iri = international.whole;
export const iriReference = international.reference;

const variable = `(?:[A-Za-z0-9_]|${percent})+(?::[1-9]\\d{0,3}|\\*)?`;
/** RFC 6570, without dots in the names of variables. */
export const uriTemplate = `(?:[!#$&(-;=?-\\[\\]_a-z~${ucschar}${iprivate}]|${percent}|\\{[+#./;?&]?${variable}(?:,${variable})*\\})*`;
/**
 * Everything that counts as a template: also reserved operators, dots in names, and every character that validators accept.
 */
export const uriTemplateAtMost = `(?:[^\\u{0}-\\u{20}"'<>%\\\\\\^\`{|}]|${percent}|\\{[+#./;?&=,!@|]?${variable}(?:[.,]${variable})*\\})*`;
