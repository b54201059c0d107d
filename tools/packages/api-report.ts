import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { declarationsOf, TYPED_PACKAGES, type TypedPackage, withImports } from './declarations.ts';

/** Returns the `api.md` of a package: every declaration that it exports, so that a review shows what changed. */
export function apiReport(name: TypedPackage): string {
  // The declarations of the wire change with it, so the report of the constructs leaves them out.
  const declared = [...declarationsOf(name)].filter(([path]) => name !== 'cdk' || !path.startsWith('contract/'));
  const sections = declared.sort(byPath).map(([path, text]) => {
    const declarations = withImports(text, '.js').replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '');
    return `## ${path.replace(/\.d\.ts$/, '')}\n\n\`\`\`ts\n${declarations.trim()}\n\`\`\`\n`;
  });
  return `# The types of segue-${name}\n\nMade by \`npm run api\`. A change here is a change for users.\n\n${sections.join('\n')}`;
}

function byPath([one]: [string, string], [other]: [string, string]): number {
  return one < other ? -1 : 1;
}

if (import.meta.main) {
  for (const name of TYPED_PACKAGES) {
    writeFileSync(join(import.meta.dirname, '../../packages', name, 'api.md'), apiReport(name));
  }
}
