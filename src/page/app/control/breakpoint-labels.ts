/** Describes breakpoints in words. */

import { formatNumber } from "../../../core/base/number-text.ts";
import { quote } from "../../../core/trace/model/trace-view.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import type {
  BreakpointAction,
  BreakpointEvent,
  BreakpointRule,
} from "../../../runtime/session/shared/breakpoint.ts";

/** After "Pause when". */
export const eventLabels: Readonly<Record<BreakpointEvent, string>> = {
  prefilled: "the prompt is ready",
  forwardPass: "the model computes probabilities",
  sampled: "a token is drawn",
  added: "tokens are added",
  backtracked: "tokens are removed",
  modCall: "a mod replies",
};

/** After the name of a mod. */
export const actionLabels: Readonly<Record<BreakpointAction, string>> = {
  any: "does something",
  adjustPrefill: "changes the prompt",
  adjustLogits: "changes the probabilities",
  forceTokens: "forces tokens",
  backtrack: "removes tokens",
  forceOutput: "replaces the answer",
  toolCalls: "calls tools",
  error: "ends the run with an error",
  steer: "steers",
  patch: "patches",
  fault: "fails",
};

export function breakpointRuleLabel(rule: BreakpointRule): string {
  switch (rule.type) {
    case "event":
      return eventLabels[rule.event];
    case "text":
      return `${quote(rule.text)} appears in the answer`;
    case "probability":
      return `a token with a probability below ${formatNumber(Number((rule.below * 100).toPrecision(4)))}% is drawn`;
    case "action":
      return `${rule.mod === null ? "a mod" : showInvisibleCharacters(rule.mod)} ${actionLabels[rule.action]}`;
  }
}
