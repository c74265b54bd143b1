/** The logits of one step, with the mods' edits and the recorded data of the step. */
import type { SparseLogitsEdit } from "../../sdk/action.ts";
import type { SamplingSettings, TokenId } from "../../sdk/request.ts";
import type { ServerDraw } from "../ports/listed-logits.ts";
import type { EditableLogits } from "../ports/logits.ts";
import type { RecordedTopTokens, StepActivations } from "../ports/mod-host.ts";
import type { DecodeRequest } from "../ports/request.ts";
import type { Output } from "./output.ts";

/** The logits for the next token, with the mods' edits. */
export interface StepLogits {
  /** The number of output tokens before the step. */
  readonly step: number;
  readonly editableLogits: EditableLogits;
  /** The temperature that a mod set for this step only; null for the request's own. */
  temperature: number | null;
  /** Indices of the mods that changed the logits of this step, in the order in which they were asked. */
  readonly editedBy: number[];
  /** Index of the mod that hides the token of this step; null if no mod does. */
  hiddenBy: number | null;
  /** A mod chose the allowed tokens (by a mask, `only`, or all logits), so the text before is not healed. */
  isConstrained: boolean;
  /** A mod changed the logits of tokens that stay possible, instead of only removing tokens. */
  isReweighted: boolean;
  /** The edits of mods that only ban tokens or add to logits (`isConstrained` stands for all others): healing applies them too. */
  readonly edits: SparseLogitsEdit[];
  /**
   * The recorded step; `row` is then empty, and edits of the mods are not computed again. Null if the model computed the
   * step.
   */
  readonly recorded: RecordedTopTokens | null;
  /** The activations of this pass that mods read; null if no mod reads any, and for a recorded step. */
  readonly activations: StepActivations | null;
  /** The token that replaces the sampler's choice at this step; null to let the sampler choose. */
  readonly userToken: TokenId | null;
  /** The token that a server drew from the logits before any edit; null if no server drew one. */
  readonly serverDraw: ServerDraw | null;
  /** The random draw of the step, uniform in [0, 1); null until it is used. */
  draw: number | null;
}

/** The logits of a step that no mod has changed. */
export function createStepLogits(
  step: number,
  editableLogits: EditableLogits,
  about: Partial<Pick<StepLogits, "recorded" | "userToken" | "activations" | "serverDraw">> = {},
): StepLogits {
  return {
    step,
    editableLogits,
    temperature: null,
    editedBy: [],
    hiddenBy: null,
    isConstrained: false,
    isReweighted: false,
    edits: [],
    draw: null,
    recorded: about.recorded ?? null,
    userToken: about.userToken ?? null,
    activations: about.activations ?? null,
    serverDraw: about.serverDraw ?? null,
  };
}

/** Whether the token of this step will be hidden, according to the mods that have replied so far. */
export function isHiddenStep(
  { output }: { readonly output: Pick<Output, "hiddenBy"> },
  { hiddenBy }: StepLogits,
): boolean {
  return output.hiddenBy !== null || hiddenBy !== null;
}

/** The request's sampling settings, with the temperature that a mod set for this step, if any. */
export function samplingSettingsWith(
  { request: { sampling } }: { readonly request: Pick<DecodeRequest, "sampling"> },
  temperature: number | null,
): SamplingSettings {
  return temperature === null ? sampling : { ...sampling, temperature };
}
