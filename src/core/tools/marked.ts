/**
 * Shared by model families that write a marker before their calls: reading the text around the calls, and the
 * languages of an answer.
 */
import type { Expression, Expressions } from "../masks/automaton/expression.ts";
import { languageStrategy, textWithout } from "./call-object.ts";
import type { CallRules, ParsedAnswer, ParsedCall, ToolFormat, WriteMarker } from "./format.ts";

/** Calls that were read, and the index after them. */
export interface ParsedCallsWithEnd {
  readonly calls: readonly ParsedCall[];
  readonly end: number;
}

/**
 * Reads the calls after each `open` with `read`, which receives the index after that `open`; the other text is content. Null
 * if a call cannot be read, or if there is no call.
 */
export function parseMarkedCalls(
  text: string,
  open: string,
  read: (text: string, start: number) => ParsedCallsWithEnd | null,
): ParsedAnswer | null {
  const found: ParsedCall[] = [];
  let content = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    content += text.slice(at, start < 0 ? text.length : start);
    if (start < 0) break;
    const list = read(text, start + open.length);
    if (!list) return null;
    found.push(...list.calls);
    at = list.end;
  }
  return found.length > 0 ? { content: content.trim() || null, calls: found } : null;
}

/** The languages of a format whose calls begin with `open`, and whose other text does not contain `open`. */
export function markedFormatLanguages(
  open: string,
  calls: (rules: CallRules, marker: WriteMarker) => (expressions: Expressions) => Expression,
): Pick<ToolFormat, "calls" | "textThenCalls" | "text"> {
  return {
    calls: (rules, marker) => languageStrategy(calls(rules, marker)),
    textThenCalls(rules, marker) {
      const build = calls(rules, marker);
      return languageStrategy((expressions) =>
        expressions.sequence(textWithout(expressions, marker(expressions, open)), build(expressions)),
      );
    },
    text: (marker) => languageStrategy((expressions) => textWithout(expressions, marker(expressions, open))),
  };
}
