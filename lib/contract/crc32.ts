/**
 * Returns the CRC-32 of a short text. Node has it in `node:zlib`, which would take 2 ms of the cold start of functions that
 * use nothing else of it.
 */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
