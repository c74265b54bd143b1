/** Reads the body of `POST /v1/embeddings`. */
import { traceLimits } from "../../../core/trace/format/limits.ts";
import { invalidRequestError } from "../api-error.ts";
import { BodyFields } from "../body-fields.ts";

export interface EmbeddingInput {
  /** The input's path in the request: `input`, or `input[2]`. */
  readonly path: string;
  readonly content: string | readonly number[];
}

export interface EmbeddingPlan {
  /** The requested model string. */
  readonly model: string;
  readonly inputs: readonly EmbeddingInput[];
  readonly isBase64: boolean;
  readonly dimensions: number | null;
}

/** The same limit as in OpenAI's API. */
const mostInputs = 2048;

/**
 * Reads and checks the body.
 * @param value the unchecked body.
 * @throws ApiError, 400, that names the field, its value and what to do.
 */
export function readEmbeddingRequest(value: unknown): EmbeddingPlan {
  const body = new BodyFields(value);
  const plan: EmbeddingPlan = {
    model: body.requiredText("model"),
    inputs: readInputs(body),
    isBase64: body.oneOf("encoding_format", ["float", "base64"]) === "base64",
    dimensions: body.number("dimensions", { min: 1, max: traceLimits.vectorLength, isWhole: true }) ?? null,
  };
  body.text("user");
  body.refuseOthers();
  return plan;
}

function readInputs(body: BodyFields): readonly EmbeddingInput[] {
  const value = body.take("input");
  if (isContent(value)) return [{ path: "input", content: value }];
  const cure = "give a string, a list of token ids, or a list of these; none may be empty";
  if (!Array.isArray(value) || value.length === 0) throw body.refusal("input", value, cure);
  if (value.length > mostInputs) {
    throw invalidRequestError(`input has ${value.length} entries: give at most ${mostInputs}.`, "input");
  }
  return value.map((content: unknown, index) => {
    if (isContent(content)) return { path: `input[${index}]`, content };
    throw body.refusal(`input[${index}]`, content, cure);
  });
}

function isContent(value: unknown): value is string | readonly number[] {
  if (typeof value === "string") return value !== "";
  const isTokens = Array.isArray(value) && value.length > 0;
  return isTokens && value.every((token) => Number.isInteger(token) && token >= 0);
}
