import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pythonProgram } from './emulators/python.ts';

/** `npm run lint:template` checks the templates of `npm run synth` with cfn-lint. */

const CFN_LINT = 'cfn-lint==1.58.0';
/** The regions for the check: a usual region, and the region that gets new resource types first. */
const REGIONS = ['eu-central-1', 'us-east-1'];
/** The rules that are not checked. W3005 finds that the CDK makes a function depend on its role twice. */
const IGNORED = ['W3005'];

const templates = globSync(join(import.meta.dirname, '../cdk.out/*/*.template.json'));
if (templates.length === 0) throw new Error('There are no templates: run npm run synth first');
const args = ['--regions', ...REGIONS, '--ignore-checks', ...IGNORED, '--template', ...templates];
const { program } = pythonProgram(CFN_LINT, 'cfn-lint');
const { status } = spawnSync(program, args, { stdio: 'inherit' });
console.log(status === 0 ? `${templates.length} templates without a finding` : 'cfn-lint has findings');
process.exitCode = status === 0 ? 0 : 1;
