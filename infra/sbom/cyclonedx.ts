import { createHash } from 'node:crypto';
import { type BundledPackage, idOf } from './bundled-package.ts';

/** What an SBOM describes: the functions of a service, with the packages in each bundle. */
export interface SbomContent {
  readonly service: string;
  /** The version of Segue. */
  readonly version: string;
  readonly functions: ReadonlyMap<string, readonly BundledPackage[]>;
}

/**
 * Returns a software bill of materials as JSON of CycloneDX 1.6. It has no time, and its serial number depends only on
 * its content, so the same bundles give the same bytes.
 */
export function sbomText(content: SbomContent): string {
  const { service, version, functions } = content;
  const rootRef = `segue-${service}@${version}`;
  const refOf = (name: string) => `${rootRef}/${name}`;
  const packages = distinct([...functions.values()].flat());
  const [unlisted, listed] = [
    packages.filter((each) => each.hasUnlisted),
    packages.filter((each) => !each.hasUnlisted),
  ];
  const parts = {
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { type: 'application', 'bom-ref': rootRef, name: `segue-${service}`, version, licenses: MIT },
    },
    components: [
      ...Array.from(functions.keys(), (name) => ({
        type: 'application',
        'bom-ref': refOf(name),
        name,
        version,
        description: 'A Lambda function of Segue',
        licenses: MIT,
      })),
      ...packages.map(componentOf),
    ],
    dependencies: [
      { ref: rootRef, dependsOn: Array.from(functions.keys(), refOf) },
      ...Array.from(functions, ([name, used]) => ({ ref: refOf(name), dependsOn: used.map(purlOf) })),
    ],
    compositions: [
      { aggregate: 'complete', assemblies: [rootRef, ...Array.from(functions.keys(), refOf), ...listed.map(purlOf)] },
      ...(unlisted.length > 0 ? [{ aggregate: 'unknown', assemblies: unlisted.map(purlOf) }] : []),
    ],
  };
  const header = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: serialOf(parts), version: 1 };
  return `${JSON.stringify({ ...header, ...parts }, null, 2)}\n`;
}

const MIT = [{ license: { id: 'MIT' } }];

/** Returns each package once, in the order of their names. */
export function distinct(packages: readonly BundledPackage[]): BundledPackage[] {
  const byId = new Map(packages.map((each) => [idOf(each), each]));
  return [...byId].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

function componentOf(bundled: BundledPackage) {
  const { name, version, license, integrity } = bundled;
  const [, scope, bare = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const [algorithm = '', hash = ''] = integrity.split('-', 2);
  return {
    type: 'library',
    'bom-ref': purlOf(bundled),
    ...(scope !== undefined && { group: scope }),
    name: bare,
    version,
    scope: 'required',
    hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(hash, 'base64').toString('hex') }],
    licenses: / (?:AND|OR|WITH) /.test(license) ? [{ expression: license }] : [{ license: { id: license } }],
    purl: purlOf(bundled),
  };
}

/** Returns the package URL of a package of npm. */
function purlOf({ name, version }: BundledPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** Returns a UUID that is a hash of the content (version 8 of RFC 9562). */
function serialOf(content: object): string {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}
