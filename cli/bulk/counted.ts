import { scan } from '../../lib/bulk/entries.ts';
import type { Format, Manifest, ManifestFile } from '../../lib/bulk/manifest.ts';
import { unusable } from './unusable.ts';

/** Reads a manifest before anything of it is carried out. @throws {ManifestUnusable} */
export async function counted(
  file: ManifestFile,
  format: Format,
): Promise<{ readonly manifest: Manifest; readonly entries: number }> {
  let entries = 0;
  try {
    const manifest = await scan(file, format, () => {
      entries++;
    });
    return { manifest, entries };
  } catch (error) {
    throw unusable(error);
  }
}
