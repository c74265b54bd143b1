/** Hands bytes to the browser as a download. A Blob is not read into memory. */
export function saveFile(name: string, content: Uint8Array<ArrayBuffer> | Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // By now the browser has taken the bytes. Without revoking, the address would keep them in memory.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
