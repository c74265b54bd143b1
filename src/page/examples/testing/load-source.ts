/** Loads a mod from its text with the sandbox's compiler, but without the sandbox: only for texts of this repository. */

import * as flow from "../../../core/sdk/flow.ts";
import * as sdk from "../../../core/sdk/index.ts";
import * as strategies from "../../../core/sdk/strategies.ts";
import { compileMod, defineFunctionName } from "../../../runtime/sandbox/compile.ts";
import type { ImportableModule } from "../../../runtime/sandbox/module-names.ts";
import type { SourceReads } from "../../../runtime/sandbox/protocol.ts";

const modules: Readonly<Record<ImportableModule, object>> = {
  "midtoken/mod": sdk,
  "midtoken/strategies": strategies,
  "midtoken/flow": flow,
};

export interface LoadedModSource {
  readonly exports: Readonly<Record<string, unknown>>;
  /** The parts of events that the source reads and the mod does not declare. */
  readonly reads: SourceReads;
}

/** @throws SyntaxError for text that does not compile, and what the file itself throws. */
export function loadModSource(source: string, print: (line: string) => void = () => {}): LoadedModSource {
  const compiled = compileMod(source, "mod");
  if (!compiled.ok) throw new SyntaxError(compiled.problems.map(({ message }) => message).join("\n"));
  const exports: Record<string, unknown> = {};
  const define = (file: (exports: object, require: (name: string) => unknown) => void): void =>
    file(exports, (name) => modules[name as ImportableModule]);
  const write = (...values: readonly unknown[]) => print(values.map(String).join(" "));
  const console = { debug: write, log: write, info: write, warn: write, error: write };
  new Function(defineFunctionName, "console", compiled.code)(define, console);
  return { exports, reads: compiled.about.reads };
}
