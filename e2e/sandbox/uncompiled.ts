/** Mods that no compiler has seen. */
import type { CompiledMod } from "../../src/runtime/sandbox/compiled-mod.ts";
import { moduleOpening } from "../../src/runtime/sandbox/module-wrapper.ts";

/** A mod that the compiler never saw, as if an attacker had got around it: for what it refuses. */
export function uncompiled(script: string): CompiledMod {
  const about = {
    label: "attack.ts",
    reads: {
      logits: false,
      topK: true,
      hiddenState: false,
      output: false,
      conversation: false,
      strategies: false,
      bans: false,
    },
    mappings: "",
  };
  const code = `${moduleOpening}"use strict"; const { mod } = require("midtoken/mod");\n${script}\n});\n//# sourceURL=attack.ts\n`;
  return { ok: true, code, about };
}
