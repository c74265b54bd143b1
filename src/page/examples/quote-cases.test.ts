/** The tests and snippets of Quote's SDK on the story model; on SmolLM2: quote-cases.instruct.test.ts. In a page: e2e/session/quote-cases.spec.ts. */

import { testQuoteSdkCases } from "./testing/quote-cases/test-quote-cases.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";

describeOnBundledModel(testQuoteSdkCases);
