/** Names the mods that steered the model, in words that follow "token 12, sampled, ". Names are untrusted: show them as text. */
import type { TokenSteering } from "./steered.ts";
import type { TraceModel } from "./trace-model.ts";
import { modName } from "./trace-view.ts";

/** `steered by cheerful and terse, patched by echo`. */
export function steeringLabel(model: TraceModel, { mods, patches }: TokenSteering): string {
  const by = (did: string, each: TokenSteering["mods"] | TokenSteering["patches"]) =>
    each.length > 0 && `${did} by ${steeringModNames(model, each).join(" and ")}`;
  return [by("steered", mods), by("patched", patches)].filter(Boolean).join(", ");
}

/** The name of each mod, once. */
export function steeringModNames(
  model: TraceModel,
  by: readonly { readonly mod: number }[],
): readonly string[] {
  return [...new Set(by.map(({ mod }) => modName(model, mod)))];
}
