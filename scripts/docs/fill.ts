import { readFileSync } from 'node:fs';

/**
 * Fills the generated parts of a written page: each between `<!-- npm run docs: name -->` and `<!-- end -->`.
 * @param path relative to the repository
 * @param parts Markdown by name
 * @returns the page
 * @throws {RangeError} if the page lacks a part or has one that is unknown
 */
export function fill(path: string, parts: Readonly<Record<string, string>>): string {
  const page = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const missing = new Set(Object.keys(parts));
  const filled = page.replace(/(<!-- npm run docs: ([a-z ]+) -->\n).*?(<!-- end -->)/gs, (_, begin, name, end) => {
    const part = parts[name];
    if (part === undefined) throw new RangeError(`${path} has an unknown part ${name}`);
    missing.delete(name);
    return `${begin}\n${part}\n\n${end}`;
  });
  if (missing.size > 0) throw new RangeError(`${path} lacks the parts ${[...missing].join(', ')}`);
  return filled;
}
