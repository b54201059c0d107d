import { CfnParameter, CfnRule, Fn } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { prefixOf } from './outputs.ts';
import { STAGES, type StageName } from './stages.ts';

/**
 * Makes CloudFormation refuse a deployment of another stage over a deployed gateway, before it changes anything. A
 * parameter remembers the stage: a deployment that does not pass it keeps the value that it had before, and a rule
 * compares this value with the stage of the template. To pass the parameter is the operator's consent.
 */
export function guardStage(gateway: Construct, stage: StageName): void {
  const name = `${prefixOf(gateway)}DeployedStage`;
  const deployed = new CfnParameter(gateway, 'DeployedStage', {
    description: 'The stage of the gateway. Pass it only to change the stage.',
    default: stage,
    allowedValues: Object.keys(STAGES),
  });
  deployed.overrideLogicalId(name);
  const rule = new CfnRule(gateway, 'KeepsStage', {
    assertions: [
      {
        assert: Fn.conditionEquals(deployed.valueAsString, stage),
        assertDescription: `This deployment has stage=${stage}, and the stack has another stage. Deploy with the stage of the stack. To change the stage, add --parameters ${name}=${stage}`,
      },
    ],
  });
  rule.overrideLogicalId(`${prefixOf(gateway)}KeepsStage`);
}
