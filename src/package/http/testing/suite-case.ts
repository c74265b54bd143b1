/** The type of a case in the suite of OpenAI's client, and its context. */
import type OpenAI from "openai";

export interface SuiteContext {
  readonly client: OpenAI;
  readonly model: string;
  /** Names of registered mods: one that never lets the model say " Lily", one that takes text back, one that throws. */
  readonly mods: { readonly noLily: string; readonly takesBack: string; readonly broken: string };
}

export interface SuiteCase {
  readonly name: string;
  /** Rejects where the client gets something else than it should. */
  run(context: SuiteContext): Promise<void>;
}
