import { existsSync } from 'node:fs';
import { installDebian } from './debian.ts';

/** The programs that the distributions' packages of Chromium install. */
const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Returns the path of Chromium: that of the variable `CHROMIUM`, or an installed one. Without one, Debian's is installed.
 * @throws an error that says what to install, if this system cannot install Debian's packages
 */
export function chromiumPath(): string {
  const path = process.env['CHROMIUM'] ?? PROGRAMS.find((program) => existsSync(program));
  if (path !== undefined) return path;
  installDebian(['chromium']);
  return '/usr/bin/chromium';
}
