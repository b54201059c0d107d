import type { ByteRange, ManifestFile } from '../../../../lib/workflow/bulk/manifest.ts';

/** A manifest in memory. @param chunkBytes how much of it comes at once */
export function fileOf(content: string | Uint8Array, chunkBytes = 7): ManifestFile {
  const bytes = Buffer.from(content);
  return {
    async *chunks() {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    },
    read: async ({ offset, bytes: length }: ByteRange) => bytes.subarray(offset, offset + length),
  };
}
