/** Random valid traces for property tests: random records in any order that the references allow, likely or not. */
import fc from "fast-check";
import { mapSamplingNames } from "../../base/sampling.ts";
import type {
  AddedRecord,
  AdjustedRecord,
  BacktrackedRecord,
  FinishedRecord,
  ForwardPassRecord,
  ModCallRecord,
  PrefilledRecord,
  SampledRecord,
  ScoredRecord,
  Trace,
  TraceAction,
  TraceDistribution,
  TraceRecord,
  TraceTopK,
  TraceVector,
} from "../format/format.ts";
import {
  consoleLevels,
  endErrorCodes,
  eventTypes,
  faultKinds,
  finishReasons,
  lengthLimits,
  TRACE_VERSION,
  tokenSources,
} from "../format/format.ts";
import type { RequestRecord, TraceMessage, TraceToolCall } from "../format/format-request.ts";
import { messageRoles, modErrorRules, modelDevices, toolChoiceLabels } from "../format/format-request.ts";
import { createReferenceCheck } from "../parse/references.ts";
import { arbitraryLayers } from "./arbitrary-layers.ts";
import { count, finite, orNull, text, token, tokenId } from "./arbitrary-values.ts";
import { withValidReferences } from "./linked-records.ts";

const tokens = (maxLength: number) => fc.array(token, { maxLength });
const alternative = fc.record({ token: tokenId, text, logprob: finite });
const distribution: fc.Arbitrary<TraceDistribution> = fc.record(
  {
    entropy: finite,
    top: fc.array(alternative, { maxLength: 10 }),
    partial: fc.record({ rest: finite, mostEntropy: finite }),
  },
  { requiredKeys: ["entropy", "top"] },
);
const likely = fc.tuple(fc.nat({ max: 151_935 }), fc.float({ noNaN: true, noDefaultInfinity: true }));
const topK: fc.Arbitrary<TraceTopK> = fc
  .tuple(count, fc.array(likely, { maxLength: 12 }))
  .map(([asked, each]) => ({
    asked,
    tokens: each.map(([token]) => token),
    logprobs: each.map(([, logprob]) => logprob),
  }));
const toolCall: fc.Arbitrary<TraceToolCall> = fc.record({
  id: text,
  type: fc.constant("function" as const),
  function: fc.record({ name: text, arguments: text }),
});
const part = fc.record({ type: text, text }, { requiredKeys: ["type"] });
const message: fc.Arbitrary<TraceMessage> = fc.record(
  {
    role: fc.constantFrom(...messageRoles),
    content: fc.oneof(text, fc.array(part, { maxLength: 3 }), fc.constant(null)),
    name: text,
    tool_calls: fc.array(toolCall, { maxLength: 2 }),
    tool_call_id: text,
  },
  { requiredKeys: ["role", "content"] },
);

const difference = fc.record({
  record: fc.nat({ max: 5 }),
  mod: fc.nat({ max: 1 }),
  now: text,
  recorded: text,
});
const branch = fc.record({
  requestId: text,
  index: count,
  isChosen: fc.boolean(),
  caughtUp: fc.integer({ min: 6, max: 9 }),
  parentMods: fc.nat({ max: 2 }),
  difference: orNull(difference),
});

/** Only a few digests, so that vectors repeat. `linked` removes the numbers except at a vector's first use. */
const vector: fc.Arbitrary<TraceVector> = fc.record({
  digest: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 2 ** 32 - 1 })),
  norm: fc.oneof(fc.constantFrom(0, 1), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 })),
  numbers: orNull(fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { maxLength: 12 })),
});
const layer = fc.nat({ max: 1_023 });

const mark = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 });

/** An arbitrary for each key of the record: the type asks for the optional ones too. */
const requestFields: { readonly [Key in keyof Required<RequestRecord>]: fc.Arbitrary<RequestRecord[Key]> } = {
  type: fc.constant("request" as const),
  requestId: text,
  createdAt: count,
  model: fc.record(
    {
      id: text,
      revision: orNull(text),
      file: text,
      device: fc.constantFrom(...modelDevices),
      adapter: text,
      vocabularySize: count,
      layers: fc.record({
        layerCount: fc.integer({ min: 1, max: 1_024 }),
        hiddenSize: fc.integer({ min: 1, max: 65_536 }),
      }),
    },
    { requiredKeys: ["id", "revision", "file", "device", "adapter", "vocabularySize"] },
  ),
  messages: fc.array(message, { maxLength: 3 }),
  tools: fc.array(text, { maxLength: 2 }),
  toolChoice: fc.oneof(
    fc.constantFrom(...toolChoiceLabels),
    fc.record({ type: fc.constant("function" as const), function: fc.record({ name: text }) }),
  ),
  parallelToolCalls: fc.boolean(),
  responseFormat: orNull(text),
  sampling: fc.record({
    logitBias: fc.dictionary(fc.nat().map(String), finite, { maxKeys: 3, noNullPrototype: true }),
    ...mapSamplingNames(() => finite),
  }),
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  maxTokens: count,
  stop: fc.array(text, { maxLength: 2 }),
  budget: count,
  deadlines: orNull(fc.record({ load: count, prefilled: count, event: count })),
  onModError: fc.constantFrom(...modErrorRules),
  mods: fc.array(
    fc.record(
      { name: text, source: text, entry: text, maxBacktrack: count },
      { requiredKeys: ["name", "source"] },
    ),
    { minLength: 2, maxLength: 3 },
  ),
  branch: orNull(branch),
  maker: text,
  rawPrompt: fc.constant(true as const),
  parseSpecial: fc.constant(true as const),
  heal: fc.constant(false as const),
  thinking: fc.boolean(),
  reasoning: fc.record(
    { open: mark, close: mark, isBegun: fc.boolean(), answer: fc.record({ open: mark, close: text }) },
    { requiredKeys: ["open", "close", "isBegun"] },
  ),
};
const optionalKeys: readonly (keyof RequestRecord)[] = [
  "maker",
  "rawPrompt",
  "parseSpecial",
  "heal",
  "thinking",
  "reasoning",
];
const request: fc.Arbitrary<RequestRecord> = fc.record(requestFields, {
  requiredKeys: (Object.keys(requestFields) as (keyof RequestRecord)[]).filter(
    (key) => !optionalKeys.includes(key),
  ),
}) as fc.Arbitrary<RequestRecord>;

const mod = fc.nat({ max: 1 });
type ActionOf<Type extends TraceAction["type"]> = Extract<TraceAction, { type: Type }>;
const forced = { tokens: fc.array(tokenId, { maxLength: 4 }), text, cut: count };
/** The compiler asks for every action, and for every field of an action. */
const actionFields: {
  readonly [Type in TraceAction["type"]]: {
    readonly [Key in keyof Omit<ActionOf<Type>, "type">]: fc.Arbitrary<ActionOf<Type>[Key]>;
  };
} = {
  noop: {},
  adjustPrefill: { tokenCount: count, maxSteps: orNull(count) },
  adjustLogits: {
    ban: count,
    only: count,
    add: count,
    dense: fc.boolean(),
    digest: orNull(fc.nat({ max: 2 ** 32 - 1 })),
    temperature: orNull(finite),
  },
  forceTokens: forced,
  backtrack: { count, ...forced },
  forceOutput: forced,
  toolCalls: { calls: fc.array(toolCall, { maxLength: 2 }) },
  error: { message: text },
  steer: { vectors: fc.array(fc.record({ layer, scale: finite, vector }), { maxLength: 3 }) },
  patch: { layer, vector },
};
const action = fc.oneof(
  ...Object.entries(actionFields).map(([type, fields]) => fc.record({ type: fc.constant(type), ...fields })),
) as fc.Arbitrary<TraceAction>;
const fault = fc.record({
  kind: fc.constantFrom(...faultKinds),
  message: text,
  stack: orNull(text),
  line: orNull(count),
  column: orNull(count),
});
const level = fc.constantFrom(...consoleLevels);
const scores = fc.record({
  logprobs: fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { maxLength: 4 }),
  passes: count,
  digest: fc.nat({ max: 2 ** 32 - 1 }),
});
const healed = fc.record({ text, tokens: count, inPrompt: fc.boolean() });

/** The keys that an object of the type may lack. */
type OptionalKey<Type> = { [Key in keyof Type]-?: undefined extends Type[Key] ? Key : never }[keyof Type];

/**
 * Records with each key of the type, and with or without each key of `optional`. The type asks for an arbitrary for every key, so a
 * field that is added to a record comes into the tests of parser and codec.
 */
function recordOf<Type>(
  every: { readonly [Key in keyof Required<Type>]: fc.Arbitrary<Required<Type>[Key]> },
  optional: Readonly<Record<OptionalKey<NoInfer<Type>>, true>>,
): fc.Arbitrary<Type> {
  const requiredKeys = Object.keys(every).filter((key) => !(key in optional));
  return fc.record(every as never, { requiredKeys } as never) as fc.Arbitrary<Type>;
}
const isOpen = fc.constant(true as const);

const at = { timeUs: count, step: count };
const record: fc.Arbitrary<TraceRecord> = fc.oneof(
  recordOf<ForwardPassRecord>(
    {
      type: fc.constant("forwardPass" as const),
      ...at,
      durationUs: count,
      tokenCount: count,
      contextLength: count,
      before: orNull(distribution),
      likeliest: orNull(topK),
    },
    {},
  ),
  recordOf<AdjustedRecord>(
    {
      type: fc.constant("adjusted" as const),
      ...at,
      after: distribution,
      temperature: orNull(finite),
    },
    {},
  ),
  recordOf<ModCallRecord>(
    {
      type: fc.constant("modCall" as const),
      ...at,
      durationUs: count,
      mod,
      event: fc.constantFrom(...eventTypes),
      action,
      given: orNull(topK),
      superseded: fc.boolean(),
      console: fc.array(fc.record({ level, text }), { maxLength: 2 }),
      fault: orNull(fault),
      line: orNull(count),
      scores: fc.array(scores, { minLength: 1, maxLength: 3 }),
    },
    { scores: true },
  ),
  recordOf<SampledRecord>(
    {
      type: fc.constant("sampled" as const),
      ...at,
      token: tokenId,
      text,
      draw: finite,
      logprobBefore: finite,
      logprobAfter: finite,
      probability: finite,
      candidates: count,
      counterfactual: orNull(token),
      healed,
      drawnBy: fc.constant("server" as const),
    },
    { healed: true, drawnBy: true },
  ),
  recordOf<AddedRecord>(
    {
      type: fc.constant("added" as const),
      ...at,
      index: fc.constant(0),
      tokens: tokens(5),
      source: fc.constantFrom(...tokenSources),
      mod: orNull(mod),
      isEos: fc.boolean(),
      hidden: fc.boolean(),
      counterfactual: orNull(token),
      isOpen,
    },
    { isOpen: true },
  ),
  recordOf<ScoredRecord>(
    {
      type: fc.constant("scored" as const),
      timeUs: count,
      index: fc.nat({ max: 3 }),
      logprobs: fc.array(finite, { maxLength: 3 }),
      distributions: fc.array(distribution, { minLength: 3, maxLength: 3 }),
    },
    {},
  ),
  recordOf<BacktrackedRecord>(
    {
      type: fc.constant("backtracked" as const),
      ...at,
      mod,
      removed: fc.nat({ max: 4 }).map((length) => Array.from({ length }, () => 0)),
      replacement: count,
    },
    {},
  ),
);
const finished: fc.Arbitrary<TraceRecord> = recordOf<FinishedRecord>(
  {
    type: fc.constant("finished" as const),
    ...at,
    reason: fc.constantFrom(...finishReasons),
    lengthLimit: fc.constantFrom(null, ...lengthLimits),
    text,
    toolCalls: fc.array(toolCall, { maxLength: 2 }),
    error: orNull(
      fc.record(
        { message: text, mod: orNull(mod), code: fc.constantFrom(...endErrorCodes) },
        { requiredKeys: ["message", "mod"] },
      ),
    ),
    usage: fc.record({
      promptTokens: count,
      completionTokens: count,
      hiddenTokens: count,
      reusedTokens: count,
      forwardPasses: count,
    }),
    prefillUs: count,
    decodeUs: count,
  },
  {},
);
const prefilled: fc.Arbitrary<TraceRecord> = recordOf<PrefilledRecord>(
  {
    type: fc.constant("prefilled" as const),
    timeUs: count,
    tokens: tokens(5),
    originalLength: orNull(count),
    isOpen,
    special: fc.subarray([0, 1, 2, 3, 4]),
  },
  { isOpen: true, special: true },
).map(({ special = [], ...record }) => {
  const places = special.filter((place) => place < record.tokens.length);
  return places.length > 0 ? { ...record, special: places } : record;
});

const emittedBy = (records: readonly TraceRecord[]): number =>
  records.reduce((sum, each) => sum + (each.type === "added" ? each.tokens.length : 0), 0);

export const arbitraryTrace: fc.Arbitrary<Trace> = fc
  .tuple(request, fc.option(prefilled), fc.array(record, { maxLength: 30 }), fc.option(finished))
  .map(([first, prompt, middle, last]) => {
    const records = withValidReferences([
      first,
      ...(prompt ? [prompt] : []),
      ...middle,
      ...(last ? [last] : []),
    ]);
    records.forEach(createReferenceCheck(records.length));
    return records;
  })
  .chain((records) =>
    fc.record({
      records: fc.constant(records),
      layers: fc.option(arbitraryLayers(emittedBy(records)), { nil: undefined }),
    }),
  )
  .map(({ records, layers }) =>
    // fast-check sometimes makes objects without a prototype; traces never have such objects.
    structuredClone({ version: TRACE_VERSION, records, ...(layers && { layers }) }),
  );
