import { resolve } from 'node:path';
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleAll } from './bundle.ts';
import { readSettings } from './settings.ts';
import { SegueStack } from './stack.ts';

/**
 * Puts all of Segue into an app: settings from its context, bundles, the stack and the rules it is held to.
 * @throws {SettingError} before anything is bundled
 */
export async function compose(app: App): Promise<SegueStack> {
  const settings = readSettings((name) => app.node.tryGetContext(name));
  const folder = resolve(app.outdir, 'bundles');
  await bundleAll(folder, { service: 'upstream', platform: 'aws' });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return new SegueStack(app, 'Segue', { settings, folderOf: (name) => resolve(folder, name) });
}
