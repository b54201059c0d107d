import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { FunctionAccess } from '../functions/function-spec.ts';
import type { GatewayOptions } from '../options.ts';
import { type Grant, keyStatements, variablesOf } from './grant.ts';

/**
 * Grants access to the engine of the option `translation`. Without the option, it is Amazon Translate, whose list of
 * languages needs no permission.
 */
export function grantTranslation(
  { service, encryptionKey }: GatewayOptions,
  access: NonNullable<FunctionAccess['translation']>,
): Grant {
  const { engine, url, secretArn, charactersPerDay, price } = (service.name === 'hosted' && service.translation) || {};
  const isAmazon = access === 'translate' && (engine === undefined || engine === 'amazon');
  const reason = 'Amazon Translate has no resources that a permission could name.';
  const findings = ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions'];
  const translate = new PolicyStatement({
    actions: ['translate:TranslateText', 'translate:TranslateDocument'],
    resources: ['*'],
  });
  const read = new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secretArn ?? ''] });
  return {
    statements: [
      ...(isAmazon ? [translate] : []),
      ...(secretArn !== undefined ? [read, ...keyStatements(encryptionKey, 'secretsmanager', 'read')] : []),
    ],
    environment: variablesOf({
      SEGUE_TRANSLATION_ENGINE: engine,
      SEGUE_TRANSLATION_URL: url,
      SEGUE_TRANSLATION_SECRET: secretArn,
      SEGUE_TRANSLATION_CHARACTERS_PER_DAY: charactersPerDay,
      SEGUE_TRANSLATION_PRICE: price,
    }),
    ...(isAmazon && { acknowledged: Object.fromEntries(findings.map((finding) => [finding, reason])) }),
  };
}
