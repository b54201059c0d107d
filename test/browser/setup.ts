import { chromiumPath } from '../../tools/emulators/chromium.ts';
import { installTools } from '../support/install-tools.ts';

/** Finds Chromium, and installs what drives it. */
export default async function setup(): Promise<void> {
  process.env['CHROMIUM'] = chromiumPath();
  await installTools(import.meta.dirname);
}
