import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { pythonProgram } from './emulators/python.ts';

/**
 * `npm run lint:template` checks the templates of `npm run synth` with cfn-lint and checkov, and the definitions of their
 * APIs with openapi-spec-validator. It fails on any finding of cfn-lint or the validator, on a finding of checkov without
 * an answer in `docs/template-checks.md`, and on an answer without a finding.
 */

const ROOT = join(import.meta.dirname, '..');
const CFN_LINT = 'cfn-lint==1.58.0';
const CHECKOV = 'checkov==3.3.30';
const OPENAPI_SPEC_VALIDATOR = 'openapi-spec-validator==0.7.1';
/** The regions for the check: a usual region, and the region that gets new resource types first. */
const REGIONS = ['eu-central-1', 'us-east-1'];
/** The rules that are not checked. W3005 finds that the CDK makes a function depend on its role twice. */
const IGNORED = ['W3005'];
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

const Finding = z.object({ check_id: z.string(), check_name: z.string(), resource: z.string(), file_path: z.string() });
const Report = z.object({
  summary: z.object({ passed: z.int().check(z.positive()), parsing_errors: z.literal(0) }),
  results: z.object({ failed_checks: z.array(Finding) }),
});
const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.optional(z.record(z.string(), z.unknown())) }),
  ),
});

const templates = globSync(join(ROOT, 'cdk.out/*/*.template.json'));
if (templates.length === 0) throw new Error('There are no templates: run npm run synth first');
const problems = [...lintTemplates(), ...checkTemplates(), ...templates.flatMap(checkApis)];
for (const problem of problems) console.log(problem);
if (problems.length === 0) console.log(`${templates.length} templates without a finding that has no answer`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Runs cfn-lint, which prints its findings. */
function lintTemplates(): string[] {
  const args = ['--regions', ...REGIONS, '--ignore-checks', ...IGNORED, '--template', ...templates];
  const { program } = pythonProgram(CFN_LINT, 'cfn-lint');
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  return status === 0 ? [] : ['cfn-lint has findings'];
}

/** Runs checkov, and compares its findings with the answers. */
function checkTemplates(): string[] {
  const { program } = pythonProgram(CHECKOV, 'checkov');
  const args = [
    '--framework',
    'cloudformation',
    '--output',
    'json',
    '--soft-fail',
    '--skip-download',
    '--file',
    ...templates,
  ];
  const { stdout } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES });
  const findings = Report.parse(JSON.parse(stdout)).results.failed_checks;
  const page = readFileSync(join(ROOT, 'docs/template-checks.md'), 'utf8');
  const answered = new Set(Array.from(page.matchAll(/^\| `(CKV\w+)` \|/gm), ([, id = '']) => id));
  const found = new Set(findings.map(({ check_id }) => check_id));
  const open = findings.filter(({ check_id }) => !answered.has(check_id));
  return [
    ...open.map((each) => `checkov: ${each.check_id} ${each.check_name}: ${each.resource} in ${each.file_path}`),
    ...[...answered].filter((id) => !found.has(id)).map((id) => `docs/template-checks.md answers ${id}: no finding`),
  ];
}

/** Runs openapi-spec-validator on each API of a template. It ignores the values of AWS, which are in extensions only. */
function checkApis(path: string): string[] {
  const { program } = pythonProgram(OPENAPI_SPEC_VALIDATOR, 'openapi-spec-validator');
  const { Resources } = Template.parse(JSON.parse(readFileSync(path, 'utf8')));
  return Object.entries(Resources).flatMap(([id, { Type, Properties }]) => {
    if (Type !== 'AWS::ApiGateway::RestApi') return [];
    const input = JSON.stringify(Properties?.['Body']);
    const { status, stdout } = spawnSync(program, ['--schema', '3.0', '-'], { input, encoding: 'utf8' });
    return status === 0 ? [] : [`openapi-spec-validator: ${id} in ${path}: ${stdout}`];
  });
}
