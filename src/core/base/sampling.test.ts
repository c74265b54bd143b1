import { describe, expect, test } from "vitest";
import { samplingHints } from "../../page/app/conversation/sampling-hints.ts";
import { clampSamplingOfRecord } from "../../page/app/store/sampling-of.ts";
import { defaultSettings, parseSettings } from "../../page/app/store/settings-store.ts";
import { TRACE_VERSION } from "../trace/format/format.ts";
import { parseTrace } from "../trace/parse/parse.ts";
import { requestRecord } from "../trace/testing/trace-builder.ts";
import { defaultSampling, formatRange, isInRange, samplingNames, samplingNumbers } from "./sampling.ts";
import { isTemperature, largestTemperature } from "./temperature.ts";

describe.each(samplingNames)("%s", (name) => {
  const about = samplingNumbers[name];

  test("its row is sound", () => {
    expect(isInRange(about, about.neutral)).toBe(true);
    expect(about.min).toBeLessThan(about.max);
    expect(about.step).toBeGreaterThan(0);
    for (const text of ["label", "short"] as const) {
      expect(samplingNames.filter((other) => samplingNumbers[other][text] === about[text])).toEqual([name]);
    }
    expect(samplingNames.filter((other) => samplingHints[other] === samplingHints[name])).toEqual([name]);
  });

  const within = about.step === 1 ? about.max - 1 : (about.neutral + about.max) / 2;
  test("the browser keeps it, a trace holds it, and a fork takes it over", () => {
    const sampling = { ...defaultSampling, [name]: within };
    expect(parseSettings({ sampling })?.sampling[name]).toBe(within);
    const request = requestRecord({ sampling });
    const trace = parseTrace({ version: TRACE_VERSION, records: [request] });
    expect(trace.records[0]).toMatchObject({ sampling });
    expect(clampSamplingOfRecord(request)[name]).toBe(within);
  });

  test.each([
    [about.min - 1, about.min],
    [about.max + 1, about.max],
  ])("%s is beyond its range: kept settings fall back, a fork takes %s", (value, nearest) => {
    const sampling = { ...defaultSampling, [name]: value };
    expect(parseSettings({ sampling })?.sampling[name]).toBe(defaultSettings.sampling[name]);
    expect(clampSamplingOfRecord(requestRecord({ sampling }))[name]).toBe(nearest);
  });
});

test("whole numbers are asked for where half ones mean nothing", () => {
  expect(isInRange(samplingNumbers.topK, 2.5)).toBe(false);
  expect(isInRange(samplingNumbers.topP, Number.NaN)).toBe(false);
  expect(formatRange(samplingNumbers.topK)).toBe("a whole number from 0 to 1000000");
  expect(formatRange(samplingNumbers.minP)).toBe("from 0 to 1");
  expect(clampSamplingOfRecord(requestRecord({ sampling: { ...defaultSampling, topK: 2.4 } })).topK).toBe(2);
});

test("actions and hidden questions may set the temperatures of the table", () => {
  const { min, max } = samplingNumbers.temperature;
  expect([min, max]).toEqual([0, largestTemperature]);
  for (const value of [-1, min, 0.5, max, max + 1, Number.NaN, Number.POSITIVE_INFINITY, "1"])
    expect(isTemperature(value), String(value)).toBe(isInRange(samplingNumbers.temperature, value));
});
