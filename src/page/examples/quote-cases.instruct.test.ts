/** The tests and snippets of Quote's SDK on SmolLM2; in a file of its own, since a file has ten minutes on a busy machine. */
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { testQuoteSdkCases } from "./testing/quote-cases/test-quote-cases.ts";

/** Half of the limit on the bundled model, whose tokens are shorter and whose passes take no time. */
const maxTokens = 12;

describeOnInstructModel((model) => testQuoteSdkCases(model, maxTokens));
