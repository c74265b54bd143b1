import type { RunHandle } from "../../../../runtime/session/page-side/session.ts";

/** The handle of a run that cannot be controlled. The test decides when it ends. */
export function createTestRunHandle(done: Promise<void>): RunHandle {
  return { done, stop() {}, pause() {}, resume() {}, stepOnce() {}, stepEvent() {}, setBreakpoints() {} };
}
