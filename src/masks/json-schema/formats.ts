/** The formats of JSON Schema that are enforced. */
import type { Expression, Expressions } from "../expression.ts";
import { parseRegex, regexExpression } from "../regex/regex.ts";
import type { Alphabet } from "../regex/utf8.ts";
import { StrategyError } from "../strategy-error.ts";

const octet = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;

/** Each as a regular expression that the whole text has to match. */
const sources: Readonly<Record<string, string>> = {
  date: String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`,
  ipv4: String.raw`(?:${octet}\.){3}${octet}`,
  uuid: "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
};

/** Formats that are enforced; any other is an annotation. */
export const knownFormats: ReadonlySet<string> = new Set(Object.keys(sources));

/** The texts of a format. @throws StrategyError when it is not known */
export function formatExpression(expressions: Expressions, format: string, alphabet: Alphabet): Expression {
  const source = sources[format];
  if (source === undefined) throw new StrategyError("jsonSchema", "", `the format "${format}" is not known`);
  return regexExpression(expressions, parseRegex(source), { anchored: true, alphabet });
}

/** All texts that may be taken for the format: what is not of the format is none of them. */
export function refusedFormat(expressions: Expressions, format: string, alphabet: Alphabet): Expression {
  return formatExpression(expressions, format, alphabet);
}
