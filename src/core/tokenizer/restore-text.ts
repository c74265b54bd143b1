/**
 * A file of its own, because the package's types mention it: types for users must not import `@huggingface/tokenizers`, which
 * users need not have.
 */

/** Puts the characters back that the caller replaced. */
export type RestoreText = (text: string) => string;
