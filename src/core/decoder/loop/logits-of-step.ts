/** The logits of one step, with what the mods and the trace say about the step. */
import type { SparseLogitsEdit } from "../../sdk/action.ts";
import type { SamplingSettings, TokenId } from "../../sdk/request.ts";
import type { EditableLogits } from "../ports/logits.ts";
import type { RecordedStep, StepActivations } from "../ports/mod-host.ts";
import type { DecodeRequest } from "../ports/request.ts";
import type { Output } from "./output.ts";

/** The logits for the next token, with the mods' edits. */
export interface StepLogits {
  /** How many emitted tokens the logits follow. */
  readonly step: number;
  readonly row: EditableLogits;
  /** The temperature that a mod set for this step alone; null for the request's own. */
  temperature: number | null;
  /** Indices of the mods that changed the logits of this step, in the order in which they were asked. */
  readonly editedBy: number[];
  /** Index of the mod that wants the token of this step hidden; null while no mod does. */
  hiddenBy: number | null;
  /** A mod named the tokens that may come here (a mask, `only`, or all logits): the text before is not healed. */
  isConstrained: boolean;
  /** Bans and additions of mods. */
  readonly edits: SparseLogitsEdit[];
  /** Given if the step comes from a record: `row` is empty then, and edits of the mods are not computed again. Null if the model computed the step. */
  readonly recorded: RecordedStep | null;
  /** The activations of this pass that mods read; null if no mod reads any, and for a recorded step. */
  readonly activations: StepActivations | null;
  /** The token that is taken at this step whatever the sampler would choose; null to let the sampler choose. */
  readonly given: TokenId | null;
  /** The step's draw, uniform in [0, 1); null until a token is chosen with it. */
  draw: number | null;
}

/** The logits of a step that no mod has changed. */
export function createStepLogits(
  step: number,
  row: EditableLogits,
  about: Partial<Pick<StepLogits, "recorded" | "given" | "activations">> = {},
): StepLogits {
  return {
    step,
    row,
    temperature: null,
    editedBy: [],
    hiddenBy: null,
    isConstrained: false,
    edits: [],
    draw: null,
    recorded: about.recorded ?? null,
    given: about.given ?? null,
    activations: about.activations ?? null,
  };
}

/** Whether the token of this step will be hidden, as far as the mods have been asked. */
export function isHiddenStep(
  { output }: { readonly output: Pick<Output, "hiddenBy"> },
  { hiddenBy }: StepLogits,
): boolean {
  return output.hiddenBy !== null || hiddenBy !== null;
}

/** The request's settings, at the temperature that a mod set where one did. */
export function settingsAt(
  { request: { sampling } }: { readonly request: Pick<DecodeRequest, "sampling"> },
  temperature: number | null,
): SamplingSettings {
  return temperature === null ? sampling : { ...sampling, temperature };
}
