/** Files by path, over the storage of a browser or an operating system. Cached models are stored in such a tree. */

/** Names of a path are made of letters, digits, `-`, `_` and `.`, and are divided by `/`. */
export interface FileTree {
  /** The present file; a later write or removal makes its bytes unreadable. Null if there is none. */
  read(path: string): Promise<Blob | null>;
  /** Writes a file whole or, when it is interrupted, not at all. @throws QuotaExceededError (a DOMException) when the storage is full. */
  write(path: string, content: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Removes a file, or a folder with all that is in it. Nothing there is no error. */
  remove(path: string): Promise<void>;
  /** Names in a folder, in no order; none if there is no such folder. */
  list(path: string): Promise<readonly string[]>;
}
