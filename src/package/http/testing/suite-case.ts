/** The type of a case in the suite of OpenAI's client, and its context. */
import type OpenAI from "openai";

export interface SuiteContext {
  readonly client: OpenAI;
  readonly model: string;
  /** Names of registered mods: one that never lets the model say " Lily", one that removes text, one that throws. */
  readonly mods: { readonly noLily: string; readonly removesText: string; readonly broken: string };
}

export interface SuiteCase {
  readonly name: string;
  /** Rejects if the client gets a wrong result. */
  run(context: SuiteContext): Promise<void>;
}
