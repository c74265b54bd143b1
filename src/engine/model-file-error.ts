/** A file of a model could not be had, or is not what it should be. The message is for the user. */
export class ModelFileError extends Error {
  override readonly name = "ModelFileError";
  constructor(
    message: string,
    /** Path in the model's folder, or the address. */
    readonly file: string,
    /** HTTP status, where the server answered with an error. */
    readonly status: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
