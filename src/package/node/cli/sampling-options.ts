/**
 * An option of the command line for each sampling setting, such as `--top-p` for the API's `top_p`, with the range from the
 * table of settings.
 */
import {
  type SamplingField,
  type SamplingName,
  samplingField,
  samplingNames,
  samplingNumbers,
} from "../../../core/base/sampling.ts";
import { readNumberOption } from "./options.ts";

type Dashed<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}-${Dashed<Rest>}`
  : Name;

type SamplingOption = Dashed<SamplingField>;

const optionOf = (name: SamplingName) => samplingField(name).replaceAll("_", "-") as SamplingOption;

export const samplingOptions = Object.fromEntries(
  samplingNames.map((name) => [optionOf(name), { type: "string" }]),
) as Readonly<Record<SamplingOption, { readonly type: "string" }>>;

/** The given settings, by their names in the API. @throws UsageError for a number out of range */
export function readSamplingOptions(
  values: Partial<Readonly<Record<SamplingOption, string>>>,
): Partial<Record<SamplingField, number>> {
  const given = samplingNames.flatMap((name) => {
    const field = samplingField(name);
    const { min, max, step } = samplingNumbers[name];
    const option = optionOf(name);
    const value = readNumberOption(option, values[option], { min, max, whole: step === 1 });
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(given);
}
