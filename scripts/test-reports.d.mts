export interface ReportedTests {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Name and start of the error of each failed test, in the report's order. */
  readonly failures: readonly string[];
  /** Paths of the files of failed tests. */
  readonly failedFiles: readonly string[];
}
export function readVitestReport(json: unknown, root: string): ReportedTests;
export function readPlaywrightReport(json: unknown): ReportedTests;
