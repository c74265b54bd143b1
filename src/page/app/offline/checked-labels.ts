/** Describes the check of a saved model. Pure. */
import { visibleText } from "../../../core/trace/text/visible-text.ts";

/** @param damaged paths of files that were not what had come. */
export function checkedLabels(title: string, damaged: readonly string[], isNewerThere: boolean): string {
  const state =
    damaged.length === 0
      ? `All that is kept of ${title} is as it came.`
      : `Of ${title}, ${damaged.map((path) => visibleText(path)).join(" and ")} ${damaged.length === 1 ? "was" : "were"} damaged. What was wrong was fetched again; what the server no longer has was removed, and is fetched with the next load.`;
  return isNewerThere ? `${state} A newer version is on the hub.` : state;
}
