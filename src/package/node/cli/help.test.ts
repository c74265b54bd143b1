/** The help names what the tables of request fields and sampling settings say. */
import { expect, test } from "vitest";
import { requestFields } from "../../../core/base/request-fields.ts";
import { samplingField, samplingNames } from "../../../core/base/sampling.ts";
import { helpFor } from "./help.ts";

test("`midtoken run --help` names each option of a request", () => {
  const help = helpFor("run");
  const options = [
    ...Object.values(requestFields).flatMap(({ cli }) => cli ?? []),
    ...samplingNames.map((name) => samplingField(name).replaceAll("_", "-")),
  ];
  expect(options.filter((option) => !help.includes(`--${option} `))).toEqual([]);
});
