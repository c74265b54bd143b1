/** The words after a command, read and checked. */
import { parseArgs } from "node:util";
import { suggestion } from "../../../core/base/known-keys.ts";
import { UsageError } from "./terminal.ts";

interface Option {
  readonly type: "string" | "boolean";
  /** Whether the option may be given several times. */
  readonly multiple?: true;
}

type OptionTable = Readonly<Record<string, Option>>;

type ValueOf<Kind extends Option> = Kind["type"] extends "boolean"
  ? boolean
  : Kind extends { readonly multiple: true }
    ? readonly string[]
    : string;

/** The options that were given. */
export type OptionValues<Options extends OptionTable> = {
  readonly [Name in keyof Options]?: ValueOf<Options[Name]>;
};

/** @throws UsageError for an option that is not there, or lacks its value. */
export function readOptions<const Options extends OptionTable>(
  words: readonly string[],
  options: Options,
): { readonly values: OptionValues<Options>; readonly positionals: readonly string[] } {
  try {
    const read = parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
    return { values: read.values as OptionValues<Options>, positionals: read.positionals };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    if (!code?.startsWith("ERR_PARSE_ARGS")) throw error;
    const unknown = /^Unknown option '-*([^']*)'/.exec(message)?.[1];
    if (unknown !== undefined) {
      const names = Object.keys(options);
      const known = suggestion(unknown, names).replace(/"([^"]*)"/, '"--$1"');
      throw new UsageError(`--${unknown} is not known. ${known}`);
    }
    // The rest of the message explains how to give a word that begins with a dash.
    throw new UsageError(message.replace(/\. To specify.*$/s, "."));
  }
}

/** @throws UsageError unless the text is a number in the range. */
export function readNumber(
  name: string,
  text: string | undefined,
  { min = -Infinity, max = Infinity, whole = false }: { min?: number; max?: number; whole?: boolean },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && value >= min && value <= max && (!whole || Number.isSafeInteger(value)))
    return value;
  const range = max === Infinity ? `from ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`--${name} is "${text}": give a ${whole ? "whole " : ""}number ${range}.`);
}

/** @throws UsageError if it was not given. */
export function requiredOption(name: string, value: string | undefined): string {
  if (value !== undefined && value !== "") return value;
  throw new UsageError(`--${name} is missing.`);
}
