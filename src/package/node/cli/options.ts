/** Reads and checks the arguments after a command. */
import { parseArgs } from "node:util";
import { formatNameSuggestion } from "../../../core/base/known-keys.ts";
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

/** The values of the given options. */
export type OptionValues<Options extends OptionTable> = {
  readonly [Name in keyof Options]?: ValueOf<Options[Name]>;
};

/** @throws UsageError for an unknown option, or for an option without its value. */
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
      const known = formatNameSuggestion(unknown, names).replace(/"([^"]*)"/, '"--$1"');
      throw new UsageError(`--${unknown} is not known. ${known}`);
    }
    // The rest of Node's message explains arguments that begin with a dash.
    throw new UsageError(message.replace(/\. To specify.*$/s, "."));
  }
}

/** @throws UsageError unless the text is a number in the range. */
export function readNumberOption(
  name: string,
  text: string | undefined,
  { min = -Infinity, max = Infinity, whole = false }: { min?: number; max?: number; whole?: boolean },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && value >= min && value <= max && (!whole || Number.isSafeInteger(value)))
    return value;
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`--${name} is "${text}": give a ${whole ? "whole " : ""}number ${range}.`);
}

/** @throws UsageError if the option was not given. */
export function requiredOption(name: string, value: string | undefined): string {
  if (value !== undefined && value !== "") return value;
  throw new UsageError(`--${name} is missing.`);
}
