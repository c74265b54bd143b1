/** The tests and snippets of Quote's SDK on SmolLM2; in a file of its own, since a file has ten minutes on a busy machine. */
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { testQuoteSdkCases } from "./testing/quote-cases/test-quote-cases.ts";

describeOnInstructModel(testQuoteSdkCases);
