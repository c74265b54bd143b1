/**
 * A separate file, because the package's types use this type: they must not import `@huggingface/tokenizers`, which users need
 * not install.
 */

/** Restores the characters that the caller replaced. */
export type RestoreText = (text: string) => string;
