/**
 * Suites over what a browser itself gives, which Node runs over something else: the repository of runs over its IndexedDB, live
 * runs over its channels between tabs, with its locks. `conformanceCheck` answers why a check failed, or null.
 */
import { messageOf } from "../../src/core/base/message-of.ts";
import { createTabTransport } from "../../src/page/live/tabs.ts";
import { transportConformance } from "../../src/page/live/transport.conformance.ts";
import { repositoryConformance } from "../../src/page/runs/repository.conformance.ts";

export interface WantedCheck {
  readonly suite: "runs" | "tabs";
  readonly name: string;
}

declare global {
  var conformanceCheck: (wanted: WantedCheck) => Promise<string | null>;
}

const repository = repositoryConformance("browser");

function checkOf({ suite, name }: WantedCheck): (() => Promise<void>) | undefined {
  if (suite === "runs") return repository.find((check) => check.name === name)?.run;
  const check = transportConformance.find((each) => each.name === name);
  return check && (() => check.run(createTabTransport({ locks: navigator.locks })));
}

globalThis.conformanceCheck = async (wanted) => {
  const run = checkOf(wanted);
  if (!run) return "There is no such check.";
  try {
    await run();
    return null;
  } catch (cause) {
    return messageOf(cause);
  }
};
