/**
 * Every field of a request except messages and mods, in one table: which surface accepts the field, and under which name. With
 * the types of this file, each surface must name exactly the fields of its column: a surface that lacks a new field does not
 * compile.
 */

/**
 * The name of a field on each surface; null if the surface does not accept the field. A dot means a nested object:
 * `midtoken.budget`.
 */
interface RequestField {
  /** In the body of POST /v1/chat/completions. */
  readonly chat: string | null;
  /** In the body of POST /v1/completions. */
  readonly text: string | null;
  /** In the body of POST /v1/responses. */
  readonly responses: string | null;
  /** The AI SDK's own setting, or `midtoken.x` for an option in `providerOptions.midtoken`. */
  readonly aiSdk: string | null;
  /** Option of `midtoken run`, without the dashes. */
  readonly cli: string | null;
  /** Option of `runMod` in midtoken/testing. */
  readonly runMod: string | null;
  /** Whether the page's form has a setting for the field. */
  readonly page: boolean;
  /** Whether an experiment's file has the field in `settings`. Seeds have a list of their own. */
  readonly experiment: boolean;
  /** Whether the trace records the field. */
  readonly trace: boolean;
}

export const requestFields = {
  /** Whether the model thinks before it answers. The AI SDK's `reasoning` can only say "none". */
  thinking: {
    chat: "chat_template_kwargs",
    text: null,
    responses: "chat_template_kwargs",
    aiSdk: "reasoning",
    cli: null,
    runMod: null,
    page: true,
    experiment: true,
    trace: true,
  },
  /** Uses the prompt without a chat template. /v1/completions always does this; the other endpoints cannot. */
  rawPrompt: {
    chat: null,
    text: null,
    responses: null,
    aiSdk: null,
    cli: "raw",
    runMod: null,
    page: false,
    experiment: true,
    trace: true,
  },
  /** Whether names of special tokens in messages are read as special tokens. /v1/completions always does this. */
  parseSpecial: {
    chat: "midtoken.parse_special",
    text: "midtoken.parse_special",
    responses: "midtoken.parse_special",
    aiSdk: "midtoken.parseSpecial",
    cli: null,
    runMod: null,
    page: false,
    experiment: true,
    trace: true,
  },
  /** false turns off token healing of texts that stand before the model's own tokens. */
  heal: {
    chat: "midtoken.heal",
    text: "midtoken.heal",
    responses: "midtoken.heal",
    aiSdk: "midtoken.heal",
    cli: "no-heal",
    runMod: "heal",
    page: false,
    experiment: true,
    trace: true,
  },
  tools: {
    chat: "tools",
    text: null,
    responses: "tools",
    aiSdk: "tools",
    cli: null,
    runMod: "tools",
    page: true,
    experiment: true,
    trace: true,
  },
  toolChoice: {
    chat: "tool_choice",
    text: null,
    responses: "tool_choice",
    aiSdk: "toolChoice",
    cli: null,
    runMod: null,
    page: true,
    experiment: true,
    trace: true,
  },
  parallelToolCalls: {
    chat: "parallel_tool_calls",
    text: null,
    responses: "parallel_tool_calls",
    aiSdk: "midtoken.parallelToolCalls",
    cli: null,
    runMod: null,
    page: true,
    experiment: true,
    trace: true,
  },
  responseFormat: {
    chat: "response_format",
    text: null,
    responses: "text",
    aiSdk: "responseFormat",
    cli: null,
    runMod: "responseFormat",
    page: true,
    experiment: true,
    trace: true,
  },
  /** The sampling numbers have their own table, `samplingNumbers`. The names in this row are for the logit bias. */
  sampling: {
    chat: "logit_bias",
    text: "logit_bias",
    responses: "logit_bias",
    aiSdk: "midtoken.logitBias",
    cli: null,
    runMod: "sampling",
    page: true,
    experiment: true,
    trace: true,
  },
  maxTokens: {
    chat: "max_completion_tokens",
    text: "max_tokens",
    responses: "max_output_tokens",
    aiSdk: "maxOutputTokens",
    cli: "max-tokens",
    runMod: "maxTokens",
    page: true,
    experiment: true,
    trace: true,
  },
  stop: {
    chat: "stop",
    text: "stop",
    responses: "stop",
    aiSdk: "stopSequences",
    cli: "stop",
    runMod: "stop",
    page: true,
    experiment: true,
    trace: true,
  },
  /** Phrases that must not appear in the output. A mod enforces this, and the trace records the mod. */
  bannedStrings: {
    chat: "banned_strings",
    text: "banned_strings",
    responses: "banned_strings",
    aiSdk: "midtoken.bannedStrings",
    cli: "ban",
    runMod: "bannedStrings",
    page: true,
    experiment: true,
    trace: false,
  },
  seed: {
    chat: "seed",
    text: "seed",
    responses: "seed",
    aiSdk: "seed",
    cli: "seed",
    runMod: "seed",
    page: true,
    experiment: false,
    trace: true,
  },
  onModError: {
    chat: "midtoken.on_mod_error",
    text: "midtoken.on_mod_error",
    responses: "midtoken.on_mod_error",
    aiSdk: "midtoken.onModError",
    cli: "on-mod-error",
    runMod: "onModError",
    page: true,
    experiment: true,
    trace: true,
  },
  budget: {
    chat: "midtoken.budget",
    text: "midtoken.budget",
    responses: "midtoken.budget",
    aiSdk: "midtoken.budget",
    cli: null,
    runMod: null,
    page: true,
    experiment: true,
    trace: true,
  },
  deadlines: {
    chat: "midtoken.deadlines",
    text: "midtoken.deadlines",
    responses: "midtoken.deadlines",
    aiSdk: "midtoken.deadlines",
    cli: "deadline",
    runMod: null,
    page: true,
    experiment: true,
    trace: true,
  },
  /** Prompt lookup changes only the speed, so the trace does not record the setting. */
  promptLookup: {
    chat: "midtoken.prompt_lookup",
    text: "midtoken.prompt_lookup",
    responses: "midtoken.prompt_lookup",
    aiSdk: "midtoken.promptLookup",
    cli: null,
    runMod: null,
    page: false,
    experiment: false,
    trace: false,
  },
} as const satisfies Readonly<Record<string, RequestField>>;

type Table = typeof requestFields;

export type RequestFieldName = keyof Table;

export type RequestSurface = keyof RequestField;

/** The fields that a surface accepts. */
export type FieldsOf<Where extends RequestSurface> = {
  [Field in RequestFieldName]: Table[Field][Where] extends null | false ? never : Field;
}[RequestFieldName];

/** The names under which a surface accepts fields. */
export type NamesOf<Where extends RequestSurface> = Exclude<Table[RequestFieldName][Where], null | boolean>;

/** The names inside the surface's `midtoken` object: "budget" of `midtoken.budget`. */
export type MidtokenNamesOf<Where extends RequestSurface> =
  NamesOf<Where> extends infer Name ? (Name extends `midtoken.${infer Own}` ? Own : never) : never;

/** The names outside the surface's `midtoken` object. */
export type OuterNamesOf<Where extends RequestSurface> = Exclude<NamesOf<Where>, `midtoken.${string}`>;
