import { App } from 'aws-cdk-lib';
import { compose } from './compose.ts';
import { SettingError } from './setting-error.ts';

try {
  compose(new App());
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  // at once: an app that is left to end by itself is still synthesised, empty
  process.exit(1);
}
