import type { ReportedTests } from "./test-reports.mjs";

export interface RepeatedTests extends ReportedTests {
  /** Names and errors of the tests that failed first and passed when they were repeated. */
  readonly unstable: readonly string[];
}
export function mayRepeat(tests: Pick<ReportedTests, "failed" | "failures" | "failedFiles">): boolean;
export function afterRepeat(first: ReportedTests, second: ReportedTests): RepeatedTests;
