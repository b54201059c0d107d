import { posix } from 'node:path';

/** A source file: its path from the repository's root, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const STATIC = /^[ \t]*(?:import|export)\s+(?:type\s+)?(?:[\w$*{}\s,]+?\s*from\s*)?['"]([^'"]+)['"]/gm;
const CALLED = /\b(?:import|require|getBuiltinModule)\(\s*['"`]([^'"`]+)['"`]/g;
const COMPUTED = /\bimport\(\s*(?!['"])/;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/** The text of a file without its comments. */
export function codeOf({ text }: SourceFile): string {
  return text.replace(COMMENT, '');
}

/**
 * What a file imports, types included: packages by their specifier, files of the repository by their path from its
 * root. Reads statements, `import(…)`, `require(…)` and `getBuiltinModule(…)` of a literal.
 */
export function importsOf(file: SourceFile): string[] {
  const { path } = file;
  const code = codeOf(file);
  return [STATIC, CALLED]
    .flatMap((pattern) => Array.from(code.matchAll(pattern), ([, specifier = '']) => specifier))
    .map((specifier) => (specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier));
}

/** Whether a file imports a name that only running it tells. */
export function importsComputedName(file: SourceFile): boolean {
  return COMPUTED.test(codeOf(file));
}
