/** Names of an experiment's parts, in the table and in exports. */
import { textOfMessage } from "../../core/base/message-text.ts";
import { samplingNumbers } from "../../core/base/sampling.ts";
import type { Check, Experiment, ExperimentPrompt, VariedSetting } from "./experiment.ts";

/** The whole last message that is not empty. */
export function lastMessageText({ messages }: ExperimentPrompt): string {
  return messages.map(textOfMessage).findLast((text) => text !== "") ?? "";
}

export function settingLabel(setting: VariedSetting): string {
  return setting === "maxTokens" ? "Max tokens" : samplingNumbers[setting].label;
}

/** The value of the varied setting; empty if no setting varies. */
export function formatVariedValue({ variation }: Experiment, value: number): string {
  return variation ? `${settingLabel(variation.setting)} ${variation.values[value]}` : "";
}

/** A check in one short line. */
export function describeCheck(check: Check): string {
  switch (check.type) {
    case "text":
      return `contains “${check.text}”${check.ignoreCase ? ", ignoring case" : ""}`;
    case "regex":
      return `matches /${check.source}/${check.flags}`;
    case "schema":
      return "matches the JSON Schema";
    case "function":
      return "passes the check function";
  }
}
