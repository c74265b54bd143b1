/** The conformance suite, for every strategy over the vocabularies of the repository. */
import { describeRepositoryVocabularies } from "../testing/describe-repository-vocabularies.ts";
import { testStrategies } from "./testing/test-strategies.ts";

describeRepositoryVocabularies("%s", testStrategies);
