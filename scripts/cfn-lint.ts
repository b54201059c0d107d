import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pythonProgram } from './emulators/python.ts';

/** `npm run lint:template`: cfn-lint on what `npm run synth` has made. */
const CFN_LINT = 'cfn-lint==1.58.0';
/** Where a stack is most likely to be, and where new kinds of resources come first. */
const REGIONS = ['eu-central-1', 'us-east-1'];
/** The CDK lets a function wait for its role twice over. */
const IGNORED = ['W3005'];

const templates = globSync(join(import.meta.dirname, '../cdk.out/*/*.template.json'));
if (templates.length === 0) throw new Error('There is no template: npm run synth makes them');
const args = ['--regions', ...REGIONS, '--ignore-checks', ...IGNORED, '--template', ...templates];
const { program } = pythonProgram(CFN_LINT, 'cfn-lint');
const { status } = spawnSync(program, args, { stdio: 'inherit' });
console.log(status === 0 ? `${templates.length} templates without a finding` : 'cfn-lint has findings');
process.exitCode = status === 0 ? 0 : 1;
