/** The suite of the repository of runs over the browser's own IndexedDB: `runCheck(name)` answers why a check failed, or null. */
import { messageOf } from "../../src/base/message-of.ts";
import { repositoryConformance } from "../../src/runs/repository.conformance.ts";

declare global {
  var runCheck: (name: string) => Promise<string | null>;
}

const checks = new Map(repositoryConformance("browser").map((check) => [check.name, check]));

globalThis.runCheck = async (name) => {
  const check = checks.get(name);
  if (!check) return "There is no such check.";
  try {
    await check.run();
    return null;
  } catch (cause) {
    return messageOf(cause);
  }
};
