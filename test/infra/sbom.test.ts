import { describe, expect, it } from 'vitest';
import { ROOT } from '../../infra/bundle.ts';
import { type BundledPackage, licenseFilesIn, packagesOf } from '../../infra/sbom/bundled-package.ts';
import { sbomText } from '../../infra/sbom/cyclonedx.ts';
import { ALLOWED_LICENSES, licensesText } from '../../infra/sbom/licenses.ts';
import lock from '../../package-lock.json' with { type: 'json' };

const zod = 'node_modules/zod/v4/mini/index.js';
const { version, license, integrity } = lock.packages['node_modules/zod'];

describe('the packages of source files', () => {
  it('are those of the lock file, each once, in the order of their names', () => {
    const packages = packagesOf(
      [zod, 'lib/contract/token.ts', 'node_modules/zod/v4/core/core.js', BUILTIN, MIDDY],
      ROOT,
    );
    expect(packages.map(({ name }) => name)).toEqual(['@middy/core', 'zod']);
    expect(packages[1]).toMatchObject({ name: 'zod', version, license, integrity });
    expect(packages[1]?.texts).toEqual([expect.stringContaining('Permission is hereby granted')]);
  });

  it('name the author of a package without a licence file', () => {
    expect(packagesOf([MIDDY], ROOT)).toMatchObject([{ texts: [], author: 'Middy contributors' }]);
  });

  it('include those of the console and of the viewer, which are built before', () => {
    const packages = packagesOf(['dist/console.json', 'dist/viewer/viewer.json'], ROOT);
    const names = packages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['@scalar/api-reference', 'preact', 'saxes', 'zod']));
    const unlisted = packages.filter(({ hasUnlisted }) => hasUnlisted).map(({ name }) => name);
    expect(unlisted).toEqual(['@scalar/api-reference']);
  });

  it('must be in a lock file', () => {
    expect(() => packagesOf(['node_modules/segue-none/index.js'], ROOT)).toThrow();
  });
});

const BUILTIN = 'builtin:node:http';
const MIDDY = 'node_modules/@middy/core/index.js';

it.each([
  [
    ['LICENSE', 'index.js', 'NOTICE.txt'],
    ['LICENSE', 'NOTICE.txt'],
  ],
  [
    ['licence.md', 'COPYING', 'license-checker.js.map'],
    ['COPYING', 'licence.md', 'license-checker.js.map'],
  ],
  [['licenses', 'README.md'], []],
])('finds the licence files in %j', (names, expected) => {
  expect(licenseFilesIn(names)).toEqual(expected);
});

it('every package that a function may contain has an allowed licence', () => {
  const production = Object.entries(lock.packages).filter(
    ([path, each]) =>
      path.startsWith('node_modules/') && !('dev' in each) && !('link' in each) && !('optional' in each),
  );
  expect(production.length).toBeGreaterThan(40);
  for (const [path, each] of production) {
    const known = 'license' in each ? each.license : '';
    // `npm start` sends mail with the one, and the constructs need the other. No function contains them.
    if (!path.endsWith('/nodemailer') && !path.startsWith('node_modules/aws-cdk-lib/'))
      expect([path, ALLOWED_LICENSES.includes(known)]).toEqual([path, true]);
  }
});

const SHA512 = `sha512-${Buffer.alloc(64, 1).toString('base64')}`;
const one: BundledPackage = {
  name: '@a/one',
  version: '1.0.0',
  license: 'MIT',
  integrity: SHA512,
  texts: ['Text of MIT'],
};
const two: BundledPackage = { ...one, name: 'two', version: '2.0.0', license: 'MIT OR Apache-2.0' };
const viewer: BundledPackage = { ...one, name: 'viewer', texts: [], author: 'Someone', hasUnlisted: true };
const sbomOf = (functions: Record<string, readonly BundledPackage[]>) =>
  sbomText({ service: 'hosted', version: '0.1.0', functions: new Map(Object.entries(functions)) });

describe('the SBOM', () => {
  const text = sbomOf({ tokens: [one, two], pages: [one, viewer] });
  const sbom = JSON.parse(text);

  it('lists each package once, with its licence, hash and package URL', () => {
    const libraries = sbom.components.filter(({ type }: { type: string }) => type === 'library');
    expect(libraries).toMatchObject([
      {
        group: '@a',
        name: 'one',
        version: '1.0.0',
        purl: 'pkg:npm/%40a/one@1.0.0',
        licenses: [{ license: { id: 'MIT' } }],
        hashes: [{ alg: 'SHA-512', content: '01'.repeat(64) }],
      },
      { name: 'two', purl: 'pkg:npm/two@2.0.0', licenses: [{ expression: 'MIT OR Apache-2.0' }] },
      { name: 'viewer' },
    ]);
  });

  it('says which function contains which packages', () => {
    expect(sbom.dependencies).toEqual([
      { ref: 'segue-hosted@0.1.0', dependsOn: ['segue-hosted@0.1.0/tokens', 'segue-hosted@0.1.0/pages'] },
      { ref: 'segue-hosted@0.1.0/tokens', dependsOn: ['pkg:npm/%40a/one@1.0.0', 'pkg:npm/two@2.0.0'] },
      { ref: 'segue-hosted@0.1.0/pages', dependsOn: ['pkg:npm/%40a/one@1.0.0', 'pkg:npm/viewer@1.0.0'] },
    ]);
  });

  it('says of which package nobody lists the content', () => {
    expect(sbom.compositions[1]).toEqual({ aggregate: 'unknown', assemblies: ['pkg:npm/viewer@1.0.0'] });
    expect(sbom.compositions[0].assemblies).not.toContain('pkg:npm/viewer@1.0.0');
  });

  it('depends on its content alone', () => {
    expect(sbomOf({ tokens: [one, two], pages: [one, viewer] })).toBe(text);
    expect(text).not.toContain('timestamp');
    const other = JSON.parse(sbomOf({ tokens: [one] }));
    expect(other.serialNumber).not.toBe(sbom.serialNumber);
    expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

it('the licences name every package, and have each text once', () => {
  const text = licensesText([one, two, viewer], 'this package');
  expect(text).toMatch(/^The code of these packages is in this package\.\n/);
  for (const id of ['@a/one@1.0.0 (MIT)', 'two@2.0.0 (MIT OR Apache-2.0)', 'viewer@1.0.0 (MIT)']) {
    expect(text).toContain(id);
  }
  expect(text.match(/Text of MIT/g)).toHaveLength(1);
  expect(text).toContain('viewer by Someone. The package has no licence file. Its package.json says: MIT.');
});
