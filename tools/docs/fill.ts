import { readFileSync } from 'node:fs';

/**
 * Replaces the generated parts of a page. Each part is between `<!-- npm run docs: name -->` and `<!-- end -->`.
 * @param path the path of the page, relative to the repository
 * @param parts the Markdown of each part, by the part's name
 * @returns the page with its new parts
 * @throws {RangeError} if the page lacks a part, or has an unknown one
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
