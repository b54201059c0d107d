import { App } from 'aws-cdk-lib';
import { SettingError } from './options.ts';
import { addSegueStack } from './stack.ts';

try {
  addSegueStack(new App());
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  // Without this exit, the app would synthesise an empty assembly.
  process.exit(1);
}
