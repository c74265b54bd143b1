/**
 * What every file of unit tests starts with. Files share their workers, so that modules are read once and not 177 times: what a
 * file changes of the globals is put back when it ends. And property tests draw the same cases in every run, so that a red run is a change's fault.
 * `PROPERTY_SEED=random` (or a number) draws others, to look for faults that these cases do not meet.
 */
import fc from "fast-check";
import { afterAll, vi } from "vitest";

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const asked = process.env.PROPERTY_SEED;
const seed = asked === undefined ? 20_261_121 : asked === "random" ? undefined : Number(asked);
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...(seed !== undefined && { seed }) });
