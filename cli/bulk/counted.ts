import type { ManifestFile } from '../../lib/workflow/bulk/manifest.ts';
import { scanManifest } from '../../lib/workflow/bulk/scan-manifest.ts';
import { unusable } from './unusable.ts';

/** Reads a manifest before any of it is run. @throws {ManifestUnusable} */
export async function counted(file: ManifestFile): Promise<{ readonly sha256: string; readonly entries: number }> {
  let entries = 0;
  try {
    const sha256 = await scanManifest(file, () => {
      entries++;
    });
    return { sha256, entries };
  } catch (error) {
    throw unusable(error);
  }
}
