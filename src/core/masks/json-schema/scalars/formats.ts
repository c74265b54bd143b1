/** The formats of JSON Schema (draft 2020-12 validation, section 7.3) that are enforced. */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import {
  type CodePoints,
  codePoints,
  propertyCodePoints,
  subtractCodePoints,
  uniteCodePoints,
} from "../../regex/code-points.ts";
import { type CompiledRegex, compileRegex, parseRegex, type RegexNode } from "../../regex/regex.ts";
import type { Alphabet } from "../../regex/utf8.ts";
import { StrategyError } from "../../strategy-error.ts";
import { regexSourcePattern } from "./format-regex.ts";
import {
  ipv4,
  ipv6,
  iri,
  iriReference,
  uri,
  uriReference,
  uriTemplate,
  uriTemplateAtMost,
} from "./format-uri.ts";

/** RFC 3339 section 5.7: months by their length, and 29 February in leap years. */
const leapYear = String.raw`(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)`;
const date = `(?:${[
  String.raw`\d{4}-(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])`,
  String.raw`\d{4}-(?:0[469]|11)-(?:0[1-9]|[12]\d|30)`,
  String.raw`\d{4}-02-(?:0[1-9]|1\d|2[0-8])`,
  `${leapYear}-02-29`,
].join("|")})`;
const hour = String.raw`(?:[01]\d|2[0-3])`;
const time = String.raw`${hour}:[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+\-]${hour}:[0-5]\d)`;

/** RFC 3339 appendix A: no unit may be missing between two others, so neither P1Y2D nor PT1H2S. */
const days = String.raw`(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)`;
const hours = String.raw`T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`;
const duration = durationOf(days, hours);
/** Durations with missing units, as ISO 8601 allows them. */
const gappedDuration = durationOf(
  String.raw`(?:\d+Y(?:\d+M)?(?:\d+D)?|\d+M(?:\d+D)?|\d+D)`,
  String.raw`T(?:\d+H(?:\d+M)?(?:\d+S)?|\d+M(?:\d+S)?|\d+S)`,
);

function durationOf(dates: string, times: string): string {
  return String.raw`P(?:${dates}(?:${times})?|${times}|\d+W)`;
}

/** A label of at most `most` characters that begins with one of `first`. */
function labelFrom(first: string, most: number): string {
  return `${first}(?:[A-Za-z0-9\\-]{0,${most - 2}}[A-Za-z0-9])?`;
}

/** RFC 1123 section 2.1: the most characters of a label, and of the whole name. */
const longestLabel = 63;
const longestHostname = 253;
const labelAtMost = labelFrom("[A-Za-z0-9]", longestLabel);
const anyHostname = `${labelAtMost}(?:\\.${labelAtMost})*`;
/** A label that does not begin with "xn--". */
const label = `(?:${[
  labelFrom("[A-WYZa-wyz0-9]", 63),
  `[Xx](?:${[
    labelFrom("[A-MO-Za-mo-z0-9]", 62),
    "-[A-Za-z0-9\\-]{0,60}[A-Za-z0-9]",
    `[Nn](?:${labelFrom("[A-Za-z0-9]", 61)}|-${labelFrom("[A-Za-z0-9]", 60)})?`,
  ].join("|")})?`,
].join("|")})`;
/**
 * A label in Punycode (RFC 3492): "xn--", the ASCII characters and a hyphen, then numbers that stand for the other characters. A
 * regular language cannot decode all numbers. The first number stands for a character from U+00A4 on, because no letter of a
 * host name is below. The last number ends with a letter, as every number does. The label has `longestLabel` characters at most.
 */
const punycodeLabel = "[Xx][Nn]--(?:[A-Za-z0-9\\-]+-)?[B-Zb-z0-9]{2}[0-9]*[A-Za-z](?:[A-Za-z0-9]*[A-Za-z])?";

/** RFC 5321 section 4.1.2: a name without quotes (dot-string), and a domain with a dot. */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+";
const domainLabel = "[A-Za-z0-9](?:[A-Za-z0-9\\-]*[A-Za-z0-9])?";
const dotString = `${atom}(?:\\.${atom})*`;
const domain = `(?:${domainLabel}\\.)+${domainLabel}`;
const email = `${dotString}@${domain}`;
/** RFC 5321 sections 4.1.2 and 4.1.3: a name in quotes, the address of a host in brackets. */
const emailAtMost = `(?:${dotString}|"(?:[ !#-\\[\\]-~]|\\\\[ -~])*")@(?:${domain}|\\[(?:${ipv4}|IPv6:${ipv6})\\])`;
/** RFC 6531 section 3.3 adds every character beyond ASCII. */
const international = (source: string) =>
  source.replaceAll(
    "A-Za-z0-9",
    "A-Za-z0-9\\u{a1}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}\\u{10000}-\\u{1fffd}\\u{20000}-\\u{2fffd}",
  );

const jsonPointer = "(?:/(?:[^~/]|~[01])*)*";
const hex = "[0-9A-Fa-f]";

/** Each format as a regular expression that must match the whole text. */
const sources: Readonly<Record<string, string>> = {
  date,
  time,
  "date-time": `${date}[Tt]${time}`,
  duration,
  email,
  "idn-email": international(email),
  hostname: anyHostname,
  ipv4,
  ipv6,
  uri,
  "uri-reference": uriReference,
  iri,
  "iri-reference": iriReference,
  "uri-template": uriTemplate,
  uuid: `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`,
  "json-pointer": jsonPointer,
  "relative-json-pointer": `(?:0|[1-9]\\d*)(?:#|${jsonPointer})`,
  regex: regexSourcePattern,
  /** Base64, as in OpenAPI. */
  byte: "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
};

/** Formats for which validation accepts more texts than a model can write. */
const widest: Readonly<Record<string, string>> = {
  hostname: anyHostname,
  duration: gappedDuration,
  email: emailAtMost,
  "idn-email": international(emailAtMost),
  uuid: `(?:urn:uuid:)?${sources.uuid}`,
  "uri-template": uriTemplateAtMost,
};

/**
 * The enforced formats; all other formats are annotations. A model can write only the common part of each format, and all of
 * these texts are valid: e-mail addresses without quoted names, international host names without Punycode, URIs with more
 * than a scheme, URI templates without dots in variable names, regular expressions with groups to a depth of 3.
 */
export const knownFormats: ReadonlySet<string> = new Set([...Object.keys(sources), "idn-hostname"]);

/** The texts of a format that a model may write: see `knownFormats`. @throws StrategyError for an unknown format */
export function formatRegex(expressions: Expressions, format: string, alphabet: Alphabet): CompiledRegex {
  if (!knownFormats.has(format)) {
    throw new StrategyError(
      "jsonSchema",
      "",
      `the format "${format}" is not supported; remove it, or use a pattern`,
    );
  }
  const node = format === "idn-hostname" ? internationalHostname(label) : parseRegex(sources[format] ?? "");
  const compiled = compileRegex(expressions, node, { anchored: true, alphabet });
  const { expression } = compiled;
  switch (format) {
    case "hostname":
      return { ...compiled, expression: hostname(expressions, alphabet), maxLength: longestHostname };
    case "time":
      return { ...compiled, expression: expressions.union(expression, leapSecond(expressions)) };
    case "date-time": {
      const before = compileRegex(expressions, parseRegex(`${date}[Tt]`), { anchored: true, alphabet });
      const late = expressions.sequence(before.expression, leapSecond(expressions));
      return { ...compiled, expression: expressions.union(expression, late) };
    }
    default:
      return compiled;
  }
}

/** Every text that counts as valid for the format, for its negation. @throws StrategyError if these texts are unknown */
export function everyFormatText(expressions: Expressions, format: string, alphabet: Alphabet): Expression {
  if (format === "regex") {
    throw new StrategyError(
      "jsonSchema",
      "",
      `"not" cannot be enforced with the format "regex"; use a pattern`,
    );
  }
  const source = widest[format];
  if (source === undefined && format !== "idn-hostname") {
    return formatRegex(expressions, format, alphabet).expression;
  }
  const node = source === undefined ? internationalHostname(labelAtMost) : parseRegex(source);
  const { expression } = compileRegex(expressions, node, { anchored: true, alphabet });
  return format === "hostname" ? shortened(expressions, expression, longestHostname) : expression;
}

/**
 * The texts of a format that a schema may list as values: for some formats every valid text, also a text that a model cannot write
 * freely.
 */
export function enumFormatText(expressions: Expressions, format: string, alphabet: Alphabet): Expression {
  return listedAtWidest.has(format)
    ? everyFormatText(expressions, format, alphabet)
    : formatRegex(expressions, format, alphabet).expression;
}

const listedAtWidest: ReadonlySet<string> = new Set(["email", "idn-email", "idn-hostname", "uri-template"]);

/** Whether the text is a regular expression of ECMA-262, the format "regex". */
export function isRegex(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}

function hostname(expressions: Expressions, alphabet: Alphabet): Expression {
  const matching = (source: string) =>
    compileRegex(expressions, parseRegex(source), { anchored: true, alphabet }).expression;
  const punycode = shortened(expressions, matching(punycodeLabel), longestLabel);
  const one = expressions.union(matching(label), punycode);
  const more = expressions.sequence(expressions.literal("."), one);
  const all = expressions.sequence(one, expressions.repeat(more, 0, Number.POSITIVE_INFINITY));
  return shortened(expressions, all, longestHostname);
}

/** The ASCII texts of at most `most` characters. */
function shortened(expressions: Expressions, expression: Expression, most: number): Expression {
  return expressions.intersection(expression, expressions.repeat(expressions.byte(0x21, 0x7e), 1, most));
}

/**
 * RFC 3339 section 5.7: second 60 is allowed only at 23:59 UTC, which is another time for each offset. The texts of an hour
 * are made when the hour is reached.
 */
function leapSecond(expressions: Expressions): Expression {
  const hoursOfDay = Array.from({ length: 24 }, (_, hourOfDay) =>
    expressions.sequence(
      expressions.literal(`${twoDigits(hourOfDay)}:`),
      expressions.rule(`leap second in hour ${hourOfDay}`, () => leapMinutes(expressions, hourOfDay)),
    ),
  );
  return expressions.union(...hoursOfDay);
}

function leapMinutes(expressions: Expressions, hourOfDay: number): Expression {
  const digits = expressions.repeat(expressions.byte(0x30, 0x39), 1, Number.POSITIVE_INFINITY);
  const fraction = expressions.optional(expressions.sequence(expressions.literal("."), digits));
  const minutes = Array.from({ length: 60 }, (_, minute) => {
    const ahead = (hourOfDay * 60 + minute + 1) % 1440;
    const behind = 1439 - (hourOfDay * 60 + minute);
    const offsets = [`+${clock(ahead)}`, `-${clock(behind)}`, ...(ahead === 0 ? ["Z", "z"] : [])];
    return expressions.sequence(
      expressions.literal(`${twoDigits(minute)}:60`),
      fraction,
      expressions.union(...offsets.map((offset) => expressions.literal(offset))),
    );
  });
  return expressions.union(...minutes);
}

function clock(minutes: number): string {
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** The longest label with a letter outside ASCII: its ASCII form (RFC 3492) may have at most 63 characters. */
const longestInternationalLabel = 20;

/** RFC 5892, section 2.6: exceptions that are valid. */
const exceptions = codePoints(
  [0x00df, 0x00df],
  [0x03c2, 0x03c2],
  [0x06fd, 0x06fe],
  [0x0f0b, 0x0f0b],
  [0x3007, 0x3007],
);
/** Digits that must not occur together with digits of the other kind in one label. */
const arabicDigits = codePoints([0x0660, 0x0669]);
const extendedArabicDigits = codePoints([0x06f0, 0x06f9]);
/** RFC 5892, appendix A: characters that are valid only beside certain other characters. */
const contextual = parseRegex("l(?:·l)+|͵[α-ω]|[א-ת][׳״]|・[ぁ-ゖァ-ヺ一-鿋]|[्্੍્୍்్್്]\\u200d");

/** RFC 5892: letters, marks and digits that are stable under case folding. */
function internationalHostname(asciiLabel: string): RegexNode {
  const property = (name: string): CodePoints => propertyCodePoints(name) ?? [];
  const unstable = uniteCodePoints(
    property("Changes_When_NFKC_Casefolded"),
    arabicDigits,
    extendedArabicDigits,
    codePoints(
      [0x0640, 0x0640],
      [0x07fa, 0x07fa],
      [0x1100, 0x11ff],
      [0x302e, 0x302f],
      [0x3031, 0x3035],
      [0x303b, 0x303b],
      [0xa960, 0xa97f],
      [0xd7b0, 0xd7ff],
    ),
  );
  const firsts = uniteCodePoints(...["Ll", "Lo", "Lm", "Nd"].map(property));
  const others = uniteCodePoints(firsts, property("Mn"), property("Mc"));
  const hyphen = parseRegex("-");
  const labelWith = (digits: CodePoints): RegexNode => {
    const one = (set: CodePoints): RegexNode => ({
      kind: "alternation",
      items: [
        { kind: "set", set: uniteCodePoints(subtractCodePoints(set, unstable), exceptions, digits) },
        contextual,
      ],
    });
    const inner: RegexNode = {
      kind: "repeat",
      body: { kind: "sequence", items: [{ kind: "repeat", body: hyphen, min: 0, max: 1 }, one(others)] },
      min: 0,
      max: longestInternationalLabel - 1,
    };
    return { kind: "sequence", items: [one(firsts), inner] };
  };
  const either: RegexNode = {
    kind: "alternation",
    items: [parseRegex(asciiLabel), labelWith(arabicDigits), labelWith(extendedArabicDigits)],
  };
  const more: RegexNode = { kind: "sequence", items: [parseRegex("\\."), either] };
  return { kind: "sequence", items: [either, { kind: "repeat", body: more, min: 0, max: 3 }] };
}
