/** Files by path, stored by a browser or an operating system. Cached models are such files. */

/** A path consists of names separated by `/`. Names consist of letters, digits, `-`, `_` and `.`. */
export interface FileTree {
  /** The file as it is now; a later write or removal makes the Blob unreadable. Null if there is no file. */
  read(path: string): Promise<Blob | null>;
  /** Writes the whole file; if the write is interrupted, nothing. @throws QuotaExceededError (a DOMException) if the storage is full */
  write(path: string, content: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Removes a file, or a folder with all its contents. It is no error if nothing is there. */
  remove(path: string): Promise<void>;
  /** Names in a folder, unsorted; empty if the folder does not exist. */
  list(path: string): Promise<readonly string[]>;
}
