/**
 * Every field of a request beside its messages and mods, in one table: which surface takes the field, and under which name. The
 * types of this file make each surface name exactly the fields of its column, so that a surface which does not know a new field
 * does not compile.
 */

/** `null`: the surface does not take the field. A dot leads into an object: `midtoken.budget`. */
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
  /** The page's form has a setting for the field. */
  readonly page: boolean;
  /** A file of an experiment holds the field in `settings`. Seeds have a list of their own. */
  readonly experiment: boolean;
  /** The trace records the field. */
  readonly trace: boolean;
}

export const requestFields = {
  /** Whether the model thinks before it answers. The AI SDK's `reasoning` knows only "none". */
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
  /** The prompt without a chat template: /v1/completions always asks for it, and no other body can. */
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
  /** Names of special tokens in messages are read as special tokens. /v1/completions reads them so in any case. */
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
  /** false: texts that stand before the model's own tokens are not healed. */
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
  /** The numbers of sampling have a table of their own, `samplingNumbers`. The names here are those of the logit bias. */
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
  /** Phrases that the output is not to contain. The engine keeps them out by a mod, which the trace has. */
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
  /** Prompt lookup changes the speed and no answer, so the trace does not record it. */
  drafts: {
    chat: "midtoken.drafts",
    text: "midtoken.drafts",
    responses: "midtoken.drafts",
    aiSdk: "midtoken.drafts",
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

/** The fields that a surface takes. */
export type FieldsOf<Where extends RequestSurface> = {
  [Field in RequestFieldName]: Table[Field][Where] extends null | false ? never : Field;
}[RequestFieldName];

/** The names under which a surface takes fields. */
export type NamesOf<Where extends RequestSurface> = Exclude<Table[RequestFieldName][Where], null | boolean>;

/** The names inside the surface's `midtoken` object: "budget" of `midtoken.budget`. */
export type OwnNamesOf<Where extends RequestSurface> =
  NamesOf<Where> extends infer Name ? (Name extends `midtoken.${infer Own}` ? Own : never) : never;

/** The names outside the surface's `midtoken` object. */
export type OuterNamesOf<Where extends RequestSurface> = Exclude<NamesOf<Where>, `midtoken.${string}`>;
