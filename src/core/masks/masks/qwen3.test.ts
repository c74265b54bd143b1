/** The tests of masks over the vocabulary that may lie beside the test models. The other files of this folder have the others. */
import { describeOutsideVocabularies } from "../testing/describe-vocabularies.ts";
import { testDistinctMasks } from "./distinct-mask.conformance.ts";
import { testForcedTokens } from "./forced-tokens.conformance.ts";
import { testMasks } from "./mask.conformance.ts";
import { testTextsOfCorpus } from "./sampling-mask.conformance.ts";
import { testStringTerminals } from "./string-terminal.conformance.ts";

describeOutsideVocabularies("masks over %s", testMasks);
describeOutsideVocabularies("string terminals over %s", testStringTerminals);
describeOutsideVocabularies("distinct items over %s", testDistinctMasks);
describeOutsideVocabularies("forced tokens over %s", testForcedTokens);
describeOutsideVocabularies("texts of the corpus with the vocabulary of %s", testTextsOfCorpus);
