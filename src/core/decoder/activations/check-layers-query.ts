/** Checks a query about layers, which a page or another thread sends. */
import { createKeyCheck, type OptionKeys } from "../../base/known-keys.ts";
import { countWithNoun, formatCount } from "../../base/number-text.ts";
import type { Steering } from "../../sdk/action.ts";
import type { LayerList } from "../../sdk/mod.ts";
import type { LayerSizes } from "../../sdk/wire-event.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import { checkLayer, checkVector } from "../ports/model-layers.ts";
import type { LayersQuery, LensQuery, SteeredSpan } from "./layers-query.ts";

/** @throws RangeError that names the wrong field and its value. */
export function checkLayersQuery(
  query: LayersQuery,
  { vocabularySize, capacity }: LanguageModel,
  sizes: LayerSizes,
): void {
  checkQueryKeys(query);
  const { tokens, places, steered = [], hidden = [], lens } = query;
  const require = (isRight: boolean, sentence: string): void => {
    if (!isRight) throw new RangeError(sentence);
  };
  require(tokens.length > 0, "The text has no tokens: there is nothing to read.");
  require(tokens.length <=
    capacity, `The text has ${countWithNoun(tokens.length, "token")}, but the model's context holds ${formatCount(capacity)}: shorten the text.`);
  const stranger = tokens.find((token) => !isPlace(token, vocabularySize));
  require(stranger ===
    undefined, `There is no token ${stranger}: the vocabulary has ${vocabularySize} tokens, 0 to ${vocabularySize - 1}.`);
  require(places.length > 0, "The query has no positions: give at least one position of the text.");
  for (const [i, place] of places.entries()) {
    require(isPlace(
      place,
      tokens.length,
    ), `There is no position ${place}: the text has ${tokens.length} tokens.`);
    require(i === 0 ||
      place >
        (places[
          i - 1
        ] as number), `Position ${place} comes after position ${places[i - 1]}: list the positions in ascending order.`);
  }
  let last = 0;
  for (const { from, to, vectors, patches } of steered) {
    require(isPlace(from, tokens.length) &&
      from >= last &&
      to >
        from, `The span of steered tokens from ${from} to ${to} is empty, or overlaps the span before it, which ends at ${last}: list the spans in ascending order.`);
    last = to;
    for (const { layer, vector } of [...vectors, ...patches])
      checkVector(layer, vector, { count: sizes.layerCount, hiddenSize: sizes.hiddenSize });
    const scale = vectors.find((each: Steering) => !Number.isFinite(each.scale))?.scale;
    require(scale === undefined, `The scale of a vector is ${scale}: give a finite number.`);
  }
  checkLayers(hidden, sizes);
  checkLayers(lens?.layers ?? [], sizes);
  if (!lens) return;
  const { count } = lens;
  require(isPlace(
    count,
    1025,
  ), `The lens count is ${count}: give the number of tokens to list for each layer, a whole number from 0 to 1024.`);
  require(lens.tokens.length ===
    places.length, `The lens has ${lens.tokens.length} tokens to look for, but the query has ${places.length} positions: give one token, or null, for each position.`);
  const sought = lens.tokens.find((token) => token !== null && !isPlace(token, vocabularySize));
  require(sought ===
    undefined, `There is no token ${sought}: the vocabulary has ${vocabularySize} tokens, 0 to ${vocabularySize - 1}.`);
}

function isPlace(value: number, length: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < length;
}

function checkLayers(list: LayerList, { layerCount }: LayerSizes): void {
  if (list !== "all") for (const layer of list) checkLayer(layer, layerCount);
}

const queryKeys: OptionKeys<LayersQuery> = {
  tokens: true,
  steered: true,
  places: true,
  hidden: true,
  lens: true,
};
const lensKeys: OptionKeys<LensQuery> = { layers: true, count: true, tokens: true };
const spanKeys: OptionKeys<SteeredSpan> = { from: true, to: true, vectors: true, patches: true };

function checkQueryKeys(query: LayersQuery): void {
  const check = createKeyCheck((message) => new RangeError(`The query: ${message}`));
  check(query, queryKeys, "");
  check(query.lens ?? {}, lensKeys, "lens");
  for (const [place, span] of (query.steered ?? []).entries()) check(span, spanKeys, `steered[${place}]`);
}
