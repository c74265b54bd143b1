/** An experiment of a recorded run takes over the run's mods as they were recorded. */
import { expect, test } from "vitest";
import { noCatchUp, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { withAndWithoutAllMods, withAndWithoutNotice } from "./with-and-without.ts";

test("a run whose mod declares how far it backtracks", () => {
  const mod = { name: "swap-name", source: "export default 1;" };
  const record = requestRecord({ mods: [{ ...mod, maxBacktrack: 4 }] });
  const { modSets } = withAndWithoutAllMods(record, 1);
  expect(modSets.map(({ mods }) => mods)).toEqual([[], [mod]]);
});

test("of a branch, the notice says that the new runs start from the prompt", () => {
  const branch = { requestId: "r", index: 3, isChosen: true, ...noCatchUp };
  expect(withAndWithoutNotice(requestRecord())).not.toContain("branch");
  expect(withAndWithoutNotice(requestRecord({ branch }))).toContain("Both new runs start from the prompt");
});
