import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CLIENT = join(import.meta.dirname, '../../packages/client');
const TYPES = join(CLIENT, 'dist/esm');

/** Returns `packages/client/api.md`: every declaration of the built client, so that a review shows what changed. */
export function apiReport(): string {
  const files = readdirSync(TYPES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
  const sections = files.sort().map((name) => {
    const declarations = readFileSync(join(TYPES, name), 'utf8').replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '');
    return `## ${name.replace(/\.d\.ts$/, '')}\n\n\`\`\`ts\n${declarations.trim()}\n\`\`\`\n`;
  });
  return `# The types of segue-client\n\nMade by \`npm run api\`. A change here is a change for users.\n\n${sections.join('\n')}`;
}

if (import.meta.main) writeFileSync(join(CLIENT, 'api.md'), apiReport());
