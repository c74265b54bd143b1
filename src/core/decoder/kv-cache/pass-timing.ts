/** One run of the model. */
export interface PassTiming {
  /** Includes draft tokens. */
  readonly tokenCount: number;
  readonly durationMs: number;
}
