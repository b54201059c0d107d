import { execFileSync } from 'node:child_process';
import { run } from './emulator.ts';

/**
 * Installs packages of Debian, unless they are installed.
 * @throws an error that says what to install, if this system cannot install Debian's packages
 */
export function installDebian(packages: readonly string[]): void {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  try {
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing]);
  } catch {
    throw new Error(
      `Cannot install ${missing.join(', ')}: run "apt-get install ${missing.join(' ')}" as root, on Debian or Ubuntu`,
    );
  }
}

function isInstalled(name: string): boolean {
  try {
    return execFileSync('dpkg', ['-s', name], { stdio: 'pipe' }).includes('Status: install ok installed');
  } catch {
    return false;
  }
}
