/** The conformance suite, for every strategy over the vocabulary that may lie beside the test models. */
import { describeOutsideVocabularies } from "../testing/describe-vocabularies.ts";
import { testStrategies } from "./testing/test-strategies.ts";

describeOutsideVocabularies("%s", testStrategies);
