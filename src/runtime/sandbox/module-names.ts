/** The modules that a mod can import. Separate from the compiler, because the guest needs the names too. */
import { describeValue } from "../../core/base/show.ts";

/** The names of all modules that a mod can import. */
export const importableModules = ["midtoken/mod", "midtoken/strategies", "midtoken/flow"] as const;

export type ImportableModule = (typeof importableModules)[number];

/** The names as a list in a sentence: `"a", "b" and "c"`. */
export const moduleNamesText = importableModules
  .map((name) => JSON.stringify(name))
  .join(", ")
  .replace(/, (?=[^,]*$)/, " and ");

/** The message for a name that cannot be imported. */
export function importRefusal(name: string): string {
  return `${describeValue(name)} cannot be imported: a mod is a single file, and can import only from ${moduleNamesText}.`;
}
