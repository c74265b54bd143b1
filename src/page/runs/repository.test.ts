/** The suite of the repository in Node; e2e/files/conformance.spec.ts has it in a browser. */
import "fake-indexeddb/auto";
import { test } from "vitest";
import { repositoryConformance } from "./repository.conformance.ts";

for (const { name, run } of repositoryConformance("node")) test(name, run);
