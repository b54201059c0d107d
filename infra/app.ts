import { existsSync, readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { checkCdkJson } from './context.ts';
import { SettingError } from './setting-error.ts';
import { addSegueStack } from './stack.ts';

const CDK_JSON = 'cdk.json';

try {
  if (existsSync(CDK_JSON)) checkCdkJson(readFileSync(CDK_JSON, 'utf8'));
  addSegueStack(new App());
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  // Without this exit, the app would synthesise an empty assembly.
  process.exit(1);
}
