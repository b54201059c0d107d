import { type BundledPackage, idOf } from './bundled-package.ts';

/** The licences that packages in bundles may have, as SPDX identifiers. They only ask to keep their notices. */
export const ALLOWED_LICENSES: readonly string[] = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

const LINE = '-'.repeat(80);

/**
 * Returns the licences and notices of packages as text. Packages with the same texts share them.
 * @param place what contains the packages, such as `this package`
 */
export function licensesText(packages: readonly BundledPackage[], place = 'the functions of Segue'): string {
  const byText = Map.groupBy(packages, noticeOf);
  const parts = Array.from(byText, ([text, same]) => {
    const names = same.map((each) => `${idOf(each)} (${each.license})`).join('\n');
    return `${LINE}\n${names}\n\n${text}\n`;
  });
  return `The code of these packages is in ${place}.\n\n${parts.join('\n')}`;
}

function noticeOf({ license, texts, author, name }: BundledPackage): string {
  if (texts.length > 0) return texts.map((text) => text.trim()).join('\n\n');
  const by = author === undefined ? '' : ` by ${author}`;
  return `${name}${by}. The package has no licence file. Its package.json says: ${license}.`;
}
