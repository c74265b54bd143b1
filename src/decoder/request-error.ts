/** Ends a request with the reason `error` and this message. Every other exception is a bug of ours, and is thrown on. */
export class RequestError extends Error {
  override readonly name: string = "RequestError";
}
