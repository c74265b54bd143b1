/** Loads a mod's file that runs in this process, without a sandbox: an operator's own file under `--trusted-mods`. */
import { Script } from "node:vm";
import { messageOf } from "../../../core/base/message-of.ts";
import * as flow from "../../../core/sdk/flow.ts";
import * as sdk from "../../../core/sdk/index.ts";
import * as strategies from "../../../core/sdk/strategies.ts";
import { compileSource } from "../../../runtime/sandbox/compile.ts";
import { nameMod } from "../../../runtime/sandbox/compiled-mod.ts";
import { type ImportableModule, importRefusal } from "../../../runtime/sandbox/module-names.ts";
import { defineFunctionName } from "../../../runtime/sandbox/module-wrapper.ts";
import { UsageError } from "./terminal.ts";

/** Runs the file again, so that each request has its own module variables. */
export type RunTrustedModFile = () => Readonly<Record<string, unknown>>;

type Module = (exports: object, require: (name: string) => object) => void;

const modules: Readonly<Record<ImportableModule, object>> = {
  "midtoken/mod": sdk,
  "midtoken/strategies": strategies,
  "midtoken/flow": flow,
};

/** On the file's first line, so that line numbers do not change. */
const opening = `(function (${defineFunctionName}) {`;

/** @throws UsageError if the file does not compile, or if its code throws */
export function loadTrustedModFile(path: string, name: string, source: string): RunTrustedModFile {
  const compiled = compileSource(source);
  if (!compiled.ok) {
    const [problem] = compiled.problems;
    throw new UsageError(`The mod ${path}, line ${problem?.line ?? 1}: ${problem?.message ?? ""}`);
  }
  const { code, about } = nameMod(compiled, name);
  const script = new Script(`${opening}${code}})`, {
    filename: about.label,
    columnOffset: -opening.length,
  });
  const run = script.runInThisContext() as (define: (module: Module) => void) => void;
  const load = (): Record<string, unknown> => {
    const exports: Record<string, unknown> = {};
    run((module) => module(exports, requireModule));
    return exports;
  };
  try {
    load();
  } catch (cause) {
    throw new UsageError(`The mod ${path} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
  return load;
}

function requireModule(name: string): object {
  if (Object.hasOwn(modules, name)) return modules[name as ImportableModule];
  throw new Error(importRefusal(name));
}
