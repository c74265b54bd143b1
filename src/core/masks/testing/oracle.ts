/** The answers of another engine, in one form for all engines: for the differential tests and the bench. */
import type { Json } from "../json-schema/normal-form.ts";

export type OracleQuestion =
  | { readonly kind: "jsonSchema"; readonly schema: Json; readonly whiteSpace: "compact" | "free" }
  | { readonly kind: "regex"; readonly source: string };

/** One generation. It has a state of its own, and cannot go back. */
export interface OracleMatcher {
  /** Bit `t & 31` of word `t >> 5`: token t may come next, the end of the sequence among them. Good until the next call. */
  mask(): Promise<Uint32Array>;
  /** False when the token is not allowed. */
  accept(token: number): boolean;
  dispose(): void;
}

export interface Oracle {
  readonly name: string;
  /** @returns what begins a generation @throws Error for what the engine does not take */
  compile(asked: OracleQuestion): Promise<() => Promise<OracleMatcher>>;
}
