import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

/** A package of npm whose code is in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The licence, as an SPDX identifier or expression. */
  readonly license: string;
  /** The hash of the package's archive, as in `package-lock.json`. */
  readonly integrity: string;
  /** The texts of the package's licence and notice files; empty if it has none. */
  readonly texts: readonly string[];
  /** Who wrote the package, if it has no licence file. */
  readonly author?: string | undefined;
  /** Whether the package's publisher built other packages into it, which nobody lists. */
  readonly hasUnlisted?: boolean | undefined;
}

const Locked = z.object({ version: z.string(), license: z.string(), integrity: z.string() });
const Lock = z.object({ packages: z.record(z.string(), z.unknown()) });
const Author = z.union([
  z.string(),
  z.pipe(
    z.object({ name: z.string() }),
    z.transform(({ name }) => name),
  ),
]);
const Manifest = z.object({ name: z.string(), author: z.optional(Author) });
const Listed = z.array(
  z.object({
    name: z.string(),
    version: z.string(),
    license: z.string(),
    integrity: z.string(),
    texts: z.array(z.string()),
    author: z.optional(z.string()),
    hasUnlisted: z.optional(z.boolean()),
  }),
);

/** The built files that contain packages, with the files that list these. Their builds write both. */
const LISTS: Readonly<Record<string, string>> = {
  'dist/viewer/viewer.json': 'dist/viewer/packages.json',
  'dist/console.json': 'dist/console-packages.json',
};

/**
 * Returns the packages that contain the source files, in the order of their names.
 * @param sources the paths of source files, relative to `root`
 * @throws if a package is not in `package-lock.json`, or the lock says neither its licence nor its hash
 */
export function packagesOf(sources: readonly string[], root: string): BundledPackage[] {
  const folders = new Set(sources.flatMap((source) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(source) ?? []));
  const found = [
    ...Array.from(folders, (folder) => installedPackage(folder, root)),
    ...sources.flatMap((source) => listedPackages(LISTS[source], root)),
  ];
  const byId = new Map(found.map((each) => [idOf(each), each]));
  return [...byId.values()].sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

/** Returns the name and the version of a package, which identify it. */
export function idOf({ name, version }: Pick<BundledPackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** Returns the licence and notice files in a list of file names. */
export function licenseFilesIn(names: readonly string[]): string[] {
  return names.filter((name) => /^(?:licen[cs]e|copying|notice)\b/i.test(name)).sort();
}

function installedPackage(folder: string, root: string): BundledPackage {
  const start = folder.indexOf('node_modules/');
  const { version, license, integrity } = Locked.parse(lockIn(join(root, folder.slice(0, start)))[folder.slice(start)]);
  const path = join(root, folder);
  const { name, author } = Manifest.parse(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')));
  const texts = licenseFilesIn(readdirSync(path)).map((file) => readFileSync(join(path, file), 'utf8'));
  return { name, version, license, integrity, texts, ...(texts.length === 0 && { author }) };
}

function listedPackages(list: string | undefined, root: string): readonly BundledPackage[] {
  return list === undefined ? [] : Listed.parse(JSON.parse(readFileSync(join(root, list), 'utf8')));
}

const locks = new Map<string, Readonly<Record<string, unknown>>>();

/** Returns the packages in the lock file of a folder. */
function lockIn(folder: string): Readonly<Record<string, unknown>> {
  const known = locks.get(folder);
  if (known) return known;
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')));
  locks.set(folder, packages);
  return packages;
}
