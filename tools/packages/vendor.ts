import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { type BundledPackage, packagesOf } from '../../infra/sbom/bundled-package.ts';
import { withoutValidator } from '../../infra/without-validator.ts';

/**
 * The packages whose used modules are built into a package, because npm would install much more with them: the SDK of
 * the Model Context Protocol depends on two web frameworks, which only its transports over HTTP use.
 */
const VENDORED = ['@modelcontextprotocol/sdk'];

/** The folder of the built modules. */
const FOLDER = 'vendor';

/** A module specifier in a compiled module. */
const SPECIFIER = /(?<before>\b(?:from|import|resolve)\s*\(?\s*)(?<quote>['"])(?<specifier>[^'"\n]+)\k<quote>/g;

/** Returns the specifiers of the modules that the compiled modules of a package import. */
export function importedModules(folder: string): Set<string> {
  const texts = compiledModules(folder).map((path) => readFileSync(join(folder, path), 'utf8'));
  return new Set(
    texts.flatMap((text) => Array.from(text.matchAll(SPECIFIER), ({ groups }) => groups?.['specifier'] ?? '')),
  );
}

/**
 * Builds the used modules of other packages into a package, and lets its compiled modules import them from there.
 * @param folder the package
 * @param root the folder with `node_modules`
 * @param dependencies the packages on which the package may depend
 * @returns the packages whose code is now in the package
 */
export async function vendorModules(
  folder: string,
  { root, dependencies }: { readonly root: string; readonly dependencies: readonly string[] },
): Promise<BundledPackage[]> {
  const specifiers = [...importedModules(folder)].filter((specifier) => isVendored(specifier));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: specifiers.map((specifier) => ({ in: specifier, out: withoutEnding(specifier) })),
    outdir: join(folder, FOLDER),
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: dependencies.filter((name) => !VENDORED.includes(name)),
    plugins: [withoutValidator],
    // The licences are in a file of their own.
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  for (const path of compiledModules(folder)) importFromFolder(folder, path);
  return packagesOf(Object.keys(metafile.inputs), root);
}

function isVendored(specifier: string): boolean {
  return VENDORED.some((name) => specifier.startsWith(`${name}/`));
}

function compiledModules(folder: string): string[] {
  return globSync('**/*.js', { cwd: folder });
}

/** Lets a compiled module import the built modules. */
function importFromFolder(folder: string, path: string): void {
  const text = readFileSync(join(folder, path), 'utf8');
  const changed = text.replaceAll(SPECIFIER, (all, before, quote, specifier) => {
    if (!isVendored(specifier)) return all;
    const target = relative(dirname(path), join(FOLDER, `${withoutEnding(specifier)}.js`));
    return `${before}${quote}${target.startsWith('.') ? target : `./${target}`}${quote}`;
  });
  if (changed !== text) writeFileSync(join(folder, path), changed);
}

function withoutEnding(specifier: string): string {
  return specifier.replace(/\.js$/, '');
}
