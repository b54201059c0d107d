import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { readSettings, stackNameOf } from './settings.ts';
import { SegueStack } from './stack.ts';

/**
 * Puts all of Segue into an app: settings from its context, the stack and the rules it is held to.
 * @throws {SettingError} before anything is bundled
 */
export function compose(app: App): SegueStack {
  const settings = readSettings(app.node.getAllContext());
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return new SegueStack(app, stackNameOf(settings), { settings });
}
