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

/** "137.9 MB", for messages. */
export function formatBytes(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
