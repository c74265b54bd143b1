/** The script of a scripted model: its steps, and which step follows an output. Pure functions of texts. */

/** A text, or several texts with their probabilities. All other tokens share the remaining probability evenly. */
export type ScriptStep = string | Readonly<Record<string, number>>;

/** A text is split into words, each with the space before it; each word is a step. */
export type Script = string | readonly ScriptStep[];

/** Texts with their probabilities. */
export type StepTextProbabilities = ReadonlyMap<string, number>;

/** @throws TypeError or RangeError for a step that is neither a text nor probabilities. */
export function readScript(script: Script): readonly StepTextProbabilities[] {
  if (typeof script === "string") return words(script).map((word) => new Map([[word, 1]]));
  if (!Array.isArray(script)) {
    throw new TypeError(`A script is a text or a list of steps, not ${JSON.stringify(script)}.`);
  }
  return script.map((step: ScriptStep, place) => readStep(step, `Step ${place}`));
}

/** @param name the step's name in errors */
export function readStep(step: ScriptStep, name: string): StepTextProbabilities {
  if (typeof step === "string" && step !== "") return new Map([[step, 1]]);
  if (typeof step !== "object" || step === null || Object.keys(step).length === 0) {
    throw new TypeError(
      `${name} of the script is ${JSON.stringify(step)}: give a string, or strings with their probabilities.`,
    );
  }
  let sum = 0;
  for (const [text, probability] of Object.entries(step)) {
    if (text === "")
      throw new TypeError(`${name} of the script has the text "": write "<|end|>" for the end.`);
    if (!(probability > 0 && probability <= 1)) {
      throw new RangeError(
        `${name} of the script: the probability of ${JSON.stringify(text)} is ${probability}.`,
      );
    }
    sum += probability;
  }
  if (sum > 1 + 1e-9)
    throw new RangeError(`${name} of the script: its probabilities add up to ${sum}, not 1.`);
  return new Map(Object.entries(step));
}

function words(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/**
 * The texts that follow this output in the script, with their probabilities; null if the script has ended. If the output
 * ends within a text of a step, the rest of this text follows.
 *
 * The output is compared with the script step by step. Words that are not in the script, because a mod inserted them,
 * replace as many steps; but if a text of the current or a later step follows them, they replace all steps before that step.
 */
export function nextTextProbabilities(
  answer: string,
  steps: readonly StepTextProbabilities[],
): StepTextProbabilities | null {
  let step = 0;
  for (let at = 0; at < answer.length; ) {
    const texts = steps[step];
    if (!texts) return null;
    const rest = answer.slice(at);
    const said = longest([...texts.keys()].filter((text) => rest.startsWith(text)));
    if (said !== null) {
      at += said.length;
      step += 1;
      continue;
    }
    const begun = [...texts].filter(([text]) => text.startsWith(rest));
    if (begun.length > 0) return new Map(begun.map(([text, share]) => [text.slice(rest.length), share]));
    const found = laterStep(rest, steps, step);
    at = found ? at + found.at : answer.length;
    step = found ? found.step : step + words(rest).length;
  }
  return steps[step] ?? null;
}

/** Finds where the rest of the output continues with a step from `from` on: the first position, and there the first step. */
function laterStep(
  rest: string,
  steps: readonly StepTextProbabilities[],
  from: number,
): { readonly at: number; readonly step: number } | null {
  for (let at = 1; at < rest.length; at += 1) {
    const later = steps
      .slice(from)
      .findIndex((texts) => [...texts.keys()].some((text) => rest.startsWith(text, at)));
    if (later >= 0) return { at, step: from + later };
  }
  return null;
}

function longest(texts: readonly string[]): string | null {
  return texts.reduce<string | null>((best, text) => (text.length > (best?.length ?? 0) ? text : best), null);
}
