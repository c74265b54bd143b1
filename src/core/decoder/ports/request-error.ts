/** Ends a request with the reason `error` and this message. Every other exception is a bug in Midtoken and is not caught. */
export class RequestError extends Error {
  override readonly name: string = "RequestError";
}

/** The model failed. `cause` is the model's error. */
export class ForwardError extends RequestError {
  override readonly name = "ForwardError";
}
