import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export type { Page } from 'playwright-core';

/** Starts the Chromium of the variable `CHROMIUM`. @param flags further flags of Chromium */
export function startBrowser(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'];
  if (executablePath === undefined || !existsSync(executablePath)) {
    throw new Error('CHROMIUM is not the path of a browser: run these tests with "npm run test:browser"');
  }
  // No other machine can be reached, even if a page tries. Root cannot use Chromium's sandbox.
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', ...flags];
  return chromium.launch({ executablePath, args });
}
