import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { LICENSES_FILE } from '../../infra/bundle.ts';
import { packagesOf } from '../../infra/sbom/bundled-package.ts';
import { distinct } from '../../infra/sbom/cyclonedx.ts';
import { licensesText } from '../../infra/sbom/licenses.ts';
import { importedModules, vendorModules } from './vendor.ts';

/**
 * `npm run build:gateway` builds the package `segue-gateway` in `dist/gateway`: the modules of the command line and of
 * the local service, compiled one by one, in the folders that they have here. In `vendor`, it has the modules of other
 * packages that it uses but does not depend on.
 */

const ROOT = join(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'packages/gateway');
const PACKAGE = join(ROOT, 'dist/gateway');

const Paths = z.record(z.string(), z.string());
const Manifest = z.looseObject({
  version: z.string(),
  dependencies: Paths,
  imports: z.record(z.string(), z.union([z.string(), Paths])),
});
const root = Manifest.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
/** The built pages, which contain packages too. */
const PAGES = ['dist/console.json', 'dist/viewer/viewer.json'];

rmSync(PACKAGE, { recursive: true, force: true });
execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', SOURCE], {
  cwd: ROOT,
  stdio: 'inherit',
});
cpSync(SOURCE, PACKAGE, { recursive: true, filter: (path) => !path.endsWith('tsconfig.json') });
mkdirSync(join(PACKAGE, 'dist'), { recursive: true });
copyFileSync(join(ROOT, 'dist/console.json'), join(PACKAGE, 'dist/console.json'));
copyFileSync(join(ROOT, 'LICENSE'), join(PACKAGE, 'LICENSE'));
const vendored = await vendorModules(PACKAGE, { root: ROOT, dependencies: Object.keys(root.dependencies) });
const contained = distinct([...vendored, ...packagesOf(PAGES, ROOT)]);
writeFileSync(join(PACKAGE, LICENSES_FILE), licensesText(contained, 'this package'));
writeFileSync(join(PACKAGE, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`);

/** Returns the manifest: that of the source, with the version, dependencies and imports of the repository. */
function manifest(): object {
  const own = z.looseObject({}).parse(JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8')));
  const used = importedPackages();
  const dependencies = Object.entries(root.dependencies).filter(([name]) => used.has(name));
  return {
    ...own,
    version: root.version,
    dependencies: Object.fromEntries(dependencies),
    imports: present(root.imports),
  };
}

/** Returns the names of the packages that the compiled modules import. */
function importedPackages(): Set<string> {
  const specifiers = [...importedModules(PACKAGE)];
  return new Set(specifiers.flatMap((specifier) => /^(?:@[^/]+\/)?[^/.#:]+/.exec(specifier)?.[0] ?? []));
}

/** Returns the imports of the repository with compiled files, without those that are not in the package. */
function present(imports: z.infer<typeof Manifest>['imports']): object {
  const compiled = (path: string) => path.replace(/^(\.\/.*)\.ts$/, '$1.js');
  const isPresent = (path: string) => !path.startsWith('./') || existsSync(join(PACKAGE, path));
  const entries = Object.entries(imports).flatMap(([name, target]): [string, unknown][] => {
    if (typeof target === 'string') return [[name, compiled(target)]];
    const targets = Object.entries(target).map(([condition, path]) => [condition, compiled(path)] as const);
    const inPackage = targets.filter(([, path]) => isPresent(path));
    return inPackage.length > 0 ? [[name, Object.fromEntries(inPackage)]] : [];
  });
  return Object.fromEntries(entries);
}
