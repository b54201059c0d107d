import { Visitor } from '@swc/core/Visitor.js';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { HOUSE, HOUSE_FOLDERS, PACKAGE_TESTS } from './house.ts';

/** The files that a name of `imports` in package.json may lead to. */
const ALIASES: Readonly<Record<string, string>> = {
  '#service': '^functions/compose/(hosted|upstream)\\.ts$',
  '#engine': '^functions/compose/engine-(hosted|upstream)\\.ts$',
  '#platform': '^functions/compose/(aws|local|local-dynamodb)\\.ts$',
  '#aws-endpoint': '^lib/aws/',
  '#viewer': '^dist/viewer/viewer\\.json$',
  '#console': '^dist/console\\.json$',
  '#jsonata': '^lib/webhooks/mapping/jsonata\\.ts$',
};
const escaped = (text: string) => text.replaceAll('.', '\\.');
/** Returns a pattern for a file, or for everything in a folder. */
const within = (path: string) => `^${escaped(path)}${/\.\w+$/.test(path) ? '$' : '/'}`;
/** Returns a pattern for a package. A package that cannot be resolved, such as one with types only, keeps its name. */
const ofPackage = (name: string) => `^(node_modules/)?${escaped(name)}(/|-|$)`;

/** The visitor of `@swc/core` fails on `using`. The override visits it like `const`. */
const { visitStatement } = Visitor.prototype;
Visitor.prototype.visitStatement = function (statement) {
  if (!('decls' in statement && Array.isArray(statement.decls))) return visitStatement.call(this, statement);
  this.visitVariableDeclarators(statement.decls);
  return statement;
};

function rulesOf(room: string): IForbiddenRuleType[] {
  const { may = [], packages = [] } = HOUSE[room] ?? {};
  const inner = Object.keys(HOUSE).filter((other) => other !== room && other.startsWith(`${room}/`));
  const from = { path: within(room), pathNot: [PACKAGE_TESTS.source, ...inner.map(within)] };
  const allowed = [...may.map((path) => ALIASES[path] ?? within(path)), ...packages.map(ofPackage)];
  const builtins = packages.filter((name) => name.startsWith('node:'));
  const builtinsAllowed = builtins.includes('node:')
    ? ['.']
    : builtins.map((name) => `^(node:)?${name.slice('node:'.length)}$`);
  return [
    { name: `${room} imports`, from, to: { dependencyTypesNot: ['core'], pathNot: allowed } },
    { name: `${room} imports a built-in`, from, to: { dependencyTypes: ['core'], pathNot: builtinsAllowed } },
  ];
}

const HOUSED = { path: HOUSE_FOLDERS.map(within), pathNot: PACKAGE_TESTS.source };

const RULES: IForbiddenRuleType[] = [
  { name: 'in a circle', from: HOUSED, to: { circular: true } },
  { name: 'imports a test', from: HOUSED, to: { path: PACKAGE_TESTS.source } },
  ...Object.keys(HOUSE).flatMap(rulesOf),
];

/** Returns the files that dependency-cruiser read, and the imports that break a rule. Type imports count too. */
export async function checkImports(baseDir: string): Promise<{ files: string[]; violations: string[] }> {
  const { output } = await cruise([...HOUSE_FOLDERS], {
    baseDir,
    // dependency-cruiser cannot use TypeScript 7, which has no compiler interface.
    parser: 'swc',
    tsPreCompilationDeps: true,
    validate: true,
    ruleSet: { forbidden: RULES.map((rule) => ({ severity: 'error', ...rule })) },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/client/dist/' },
    enhancedResolveOptions: {
      conditionNames: ['hosted', 'aws', 'import', 'node', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.js'],
    },
  });
  const { modules, summary } = asResult(output);
  return {
    files: modules.map(({ source }) => source),
    violations: summary.violations.map(({ rule, from, to }) => `${from} ${rule.name} ${to}`),
  };
}

function asResult(output: ICruiseResult | string): ICruiseResult {
  if (typeof output === 'string') throw new TypeError('dependency-cruiser returned a report');
  return output;
}
