import { readFileSync } from 'node:fs';
import { fill } from './fill.ts';
import { table } from './table.ts';

const TYPES = new URL('../../packages/client/api.md', import.meta.url);
const CLASS = /export declare class SegueClient \{\n(.*?)\n\}\n/s;
const METHOD = /^ {4}((?!constructor)\w+)\((.*?)\): (Promise|AsyncGenerator)<(.+?)(?:, void, void)?>;$/gms;

/** Returns the page `docs/client.md`, which lists the methods with the types that `npm run api` writes. */
export function clientPage(): string {
  const [, methods = ''] = CLASS.exec(readFileSync(TYPES, 'utf8')) ?? [];
  const rows = Array.from(methods.matchAll(METHOD), ([, name = '', args = '', kind, result = '']) => [
    `\`${name}(${plain(args)})\``,
    `${kind === 'Promise' ? '' : 'each '}\`${plain(result)}\``,
  ]);
  return fill('docs/client.md', { methods: table(['method', 'result'], rows) });
}

/** Returns types without `readonly`, and names an argument that is taken apart. */
function plain(types: string): string {
  return types
    .replace(/\{ [\w, .:]+ \}\?:/g, 'options?:')
    .replace(/;?\s*\}/g, ' }')
    .replace(/\s+/g, ' ')
    .replaceAll('readonly ', '');
}
