/** The temperatures that a request, an action of a mod or a hidden question may set. Apart from `sampling.ts`, whose texts a sandbox does not need. */

/** The largest temperature. The table of sampling settings has the same number. */
export const largestTemperature = 1_000;

export function isTemperature(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= largestTemperature;
}

/** The value to give, for messages. */
export const temperatureAdvice = `give a number from 0 (always the most likely token) to ${largestTemperature}`;
