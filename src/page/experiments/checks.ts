/**
 * The checks of an experiment's outputs (text, regular expression, JSON Schema): each check is prepared once and used for many
 * outputs.
 */
import { messageOf } from "../../core/base/message-of.ts";
import { createSchemaValidator } from "../../core/masks/json-schema/validate.ts";
import { createTextMatcher } from "../../core/masks/regex/text-matcher.ts";
import type { Check } from "./experiment.ts";
import type { CheckVerdict } from "./outcome.ts";

/** A check that this file makes. Checks of the type `function` run in a sandbox: see `function-check.ts`. */
export type LocalCheck = Exclude<Check, { type: "function" }>;

/** Checks one text. Never throws and never hangs, because the work of expressions and schemas is counted. */
export type TextCheck = (text: string) => CheckVerdict;

/** @throws Error that says where the expression or the schema is wrong. */
export function createTextCheck(check: LocalCheck): TextCheck {
  const ask = createTest(check);
  return (text) => {
    try {
      return { holds: ask(text), problem: null };
    } catch (cause) {
      return { holds: null, problem: messageOf(cause) };
    }
  };
}

/** Why a check is invalid; null if it is valid. Errors of a function are found when the function is compiled. */
export function findCheckProblem(check: Check): string | null {
  if (check.type === "function") return null;
  try {
    createTest(check);
    return null;
  } catch (cause) {
    return messageOf(cause);
  }
}

function createTest(check: LocalCheck): (text: string) => boolean {
  switch (check.type) {
    case "text": {
      if (check.text === "")
        throw new Error("The text to look for is empty: write the text that the answer must contain.");
      if (!check.ignoreCase) return (text) => text.includes(check.text);
      const wanted = check.text.toLowerCase();
      return (text) => text.toLowerCase().includes(wanted);
    }
    case "regex":
      return createTextMatcher(check.source, check.flags);
    case "schema": {
      const isValid = createSchemaValidator(parseSchema(check.schema));
      return (text) => {
        const value = parsed(text);
        return value !== undefined && isValid(value.value);
      };
    }
  }
}

function parseSchema(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`The schema is not valid JSON: ${messageOf(cause)}`);
  }
}

/** Undefined if the text is no JSON: such a text is valid against no schema. */
function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
