import { ROUTES } from '../../lib/contract/wire-routes.ts';
import { PACKAGE_TESTS } from './house.ts';
import { codeOf, importsComputedName, type SourceFile } from './source-files.ts';

/** A rule: a function that returns the faults of a file. */
export type Rule = (file: SourceFile) => string[];

const MAX_FUNCTION_LINES = 40;
/** The files that may read the clock. Partners call this constructor, and should not have to pass a clock. */
const READS_CLOCK = ['packages/client/account.ts'];
/** The files that may write the path of an operation: two in sentences, and the last in a key of the store that looks like one. */
const WRITES_PATHS = [
  'lib/operations',
  'lib/contract/paths.ts',
  'lib/contract/wire-routes.ts',
  'lib/contract/problem-explanations.data.ts',
  'lib/http/reduced-description.ts',
  'lib/records/outbox.ts',
];
/** The paths of the operations, up to the first parameter. */
const PATHS = Object.values(ROUTES).map(({ path }) => path.replace(/\/?\{.*/, '').replaceAll('.', '\\.'));
/** Matches such a path where it begins a text, or follows a base URL. */
const OPERATION_PATH = new RegExp(`['"\`}](?:${PATHS.join('|')})(?=['"\`/?$])`);
const CHILD_ENVIRONMENT = ['test/support/child-environment.ts'];

/** Whether a path or specifier equals a folder or lies in it. */
const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder.endsWith(':') ? folder : `${folder}/`);
const isIn = (folders: readonly string[], { path }: SourceFile) => folders.some((folder) => isWithin(path, folder));
const isTest = (file: SourceFile) => isIn(['test'], file) || PACKAGE_TESTS.test(file.path);
/** Whether a file is part of what functions or partners run. */
const isLibrary = (file: SourceFile) => isIn(['lib', 'packages/client', 'packages/files'], file) && !isTest(file);

/** Every rule by its name. A rule reads only path and text, so that a test can invent a bad file. */
/**
 * What a file of the console may import: its neighbours, the client, the formats of files, and the few parts of the
 * contract that it shares with the command line.
 */
const CONSOLE_MAY_IMPORT =
  /^(?:\.{1,2}\/(?:\w+\/)?[\w-]+\.tsx?|preact(?:\/hooks)?|zod\/mini|(?:\.\.\/){1,2}client\/(?:index|administration)\.ts|\.\.\/files\/[\w-]+\.ts|\.\.\/\.\.\/lib\/contract\/(?:file-key|json-places|json-text|language-states|problems?|segue-command|translation-status)\.ts)$/;

export const RULES = {
  'no hidden imports in what is bundled': (file) =>
    (isLibrary(file) || isIn(['functions'], file)) && importsComputedName(file)
      ? [`${file.path} imports a computed name`]
      : [],
  'a function is wiring': (file) => {
    const lines = file.text.trimEnd().split('\n').length;
    const isFunction = isIn(['functions'], file) && !isIn(['functions/compose'], file);
    return isFunction && lines > MAX_FUNCTION_LINES ? [`${file.path} has ${lines} lines`] : [];
  },
  // `import { z }` adds all of zod to a bundle: 454 KB instead of 19.
  'zod is imported as a namespace': (file) =>
    /import\s+(?:type\s+)?\{[^}]*\bz\b[^}]*\}\s*from\s*['"]zod/.test(file.text) ? [`${file.path} imports { z }`] : [],
  // Each of these loads undici at its first use, which adds 35 ms to a cold start.
  'nothing of undici on the way of a request': (file) => {
    if (!isIn(['lib', 'functions'], file)) return [];
    const used = /(?<![.\w])fetch\s*\(|\bnew\s+(?:Request|Response|Headers|FormData|WebSocket)\b|['"]undici['"]/.exec(
      file.text,
    );
    return used ? [`${file.path} uses ${used[0]}`] : [];
  },
  'lib takes its clock as an argument': (file) => {
    if (!isLibrary(file) || isIn(READS_CLOCK, file)) return [];
    const [used] = /\bDate\.now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])|(?<!new\s+)\bDate\(/.exec(codeOf(file)) ?? [];
    return used === undefined ? [] : [`${file.path} uses ${used}`];
  },
  'an operation alone knows its path': (file) => {
    const mayNot = isIn(['lib', 'functions', 'infra', 'local', 'packages/cli', 'packages/simulator'], file);
    if (!mayNot || isIn(WRITES_PATHS, file) || file.path.includes('/test/')) return [];
    const [used] = OPERATION_PATH.exec(codeOf(file)) ?? [];
    return used === undefined ? [] : [`${file.path} writes ${used}`];
  },
  // dependency-cruiser cannot read JSX, so this rule stands in for one of the house.
  'the console speaks to Segue through its client alone': (file) => {
    if (!isIn(['packages/console'], file) || isTest(file)) return [];
    const imported = Array.from(
      file.text.matchAll(/(?:\bfrom |\bimport(?: |\())\s*['"]([^'"]+)['"]/g),
      ([, from]) => from,
    );
    const foreign = imported.filter((from = '') => !CONSOLE_MAY_IMPORT.test(from));
    return foreign.map((from) => `${file.path} imports ${from}`);
  },
  // Trusted Types refuse it in browsers that have them; the other browsers would take it.
  'the console shows content as text': (file) =>
    isIn(['packages/console'], file) &&
    !isTest(file) &&
    /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|srcdoc/i.test(file.text)
      ? [`${file.path} writes HTML`]
      : [],
  // Without the variables of the clock, a child process has another date than its test.
  'a test starts processes with its own clock': (file) =>
    isTest(file) && /\bPATH: process\.env\['PATH'\]/.test(codeOf(file)) && !isIn(CHILD_ENVIRONMENT, file)
      ? [`${file.path} makes an environment without childEnvironment`]
      : [],
  // With a default, a caller can forget to pass its clock. That part then uses today's date.
  'no clock is a default': (file) => {
    if (isIn(READS_CLOCK, file)) return [];
    const [used] =
      /[({,]\s*now(?:Ms)?(?:\s*:\s*(?:\(\)\s*=>\s*)?\w+)?\s*=\s*Date\.now|\?\?\s*Date\.now/.exec(codeOf(file)) ?? [];
    return used === undefined ? [] : [`${file.path} has the default ${used}`];
  },
} as const satisfies Record<string, Rule>;
