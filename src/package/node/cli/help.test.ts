/** The help and the documents agree with the tables of request fields, sampling settings and defaults. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requestFields } from "../../../core/base/request-fields.ts";
import { samplingField, samplingNames } from "../../../core/base/sampling.ts";
import { helpFor } from "./help.ts";
import { serveDefaults } from "./serve-defaults.ts";

test("`midtoken run --help` names each option of a request", () => {
  const help = helpFor("run");
  const options = [
    ...Object.values(requestFields).flatMap(({ cli }) => cli ?? []),
    ...samplingNames.map((name) => samplingField(name).replaceAll("_", "-")),
  ];
  expect(options.filter((option) => !help.includes(`--${option} `))).toEqual([]);
});

test("the documents name the address at which `midtoken serve` listens by default", () => {
  const address = `http://${serveDefaults.host}:${serveDefaults.port}/v1`;
  const documents = ["docs/node.md", "docs/clients.md"];
  expect(documents.filter((path) => !readFileSync(path, "utf8").includes(address))).toEqual([]);
});
