/** Ends a request with the reason `error` and this message. Every other exception is a bug of ours, and is thrown on. */
export class RequestError extends Error {
  override readonly name: string = "RequestError";
}

/** The model did not compute. `cause` is the model's error. */
export class ForwardError extends RequestError {
  override readonly name = "ForwardError";
}
