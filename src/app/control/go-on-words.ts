/** What going on with other mods is called. */
import { formatCount } from "../../ui/format.ts";

/** `index`: of the token from which it goes on; null where the run stands. */
export function goOnWords(index: number | null, isRecordedElsewhere: boolean): string {
  const where = index === null ? "" : ` from token ${formatCount(index + 1)}`;
  return `Go on${where} with ${isRecordedElsewhere ? "the mods of the editor" : "the changed mods"}`;
}
