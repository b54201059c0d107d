import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { Api } from './api.ts';
import { FUNCTIONS, type FunctionName } from './bundle.ts';
import { DeployedFunction } from './function.ts';
import type { Settings } from './settings.ts';
import { Stores } from './stores.ts';

export interface SegueStackProps {
  readonly settings: Settings;
  /** The folder that holds a function's bundle. */
  readonly folderOf: (name: FunctionName) => string;
}

type Need = 'keys' | 'tokens' | 'upstream';

/** What each function is given, and so all that its role allows beside its log. */
const NEEDS: Record<FunctionName, readonly Need[]> = {
  createProject: ['upstream'],
  listProjects: ['upstream'],
  getProject: ['upstream'],
  getProjectByCustomId: ['upstream'],
  deleteProject: ['upstream'],
  deleteProjectByCustomId: ['upstream'],
  listLanguages: [],
  obtainToken: ['tokens'],
  refreshToken: ['tokens'],
  health: [],
  getProblemType: [],
  authorizer: ['keys'],
  createProjectTask: ['upstream'],
  deleteProjectTask: ['upstream'],
};

/** The longest a function may run. A workflow waits longer than a gateway; nobody waits long for an authorizer. */
const TIMEOUTS = {
  http: Duration.millis(GATEWAY_LIMITS.timeoutMs),
  authorizer: Duration.seconds(10),
  task: Duration.seconds(60),
} as const;

/** Segue in front of a service elsewhere: API, functions, secrets and the table of company keys. */
export class SegueStack extends Stack {
  constructor(scope: Construct, id: string, { settings, folderOf }: SegueStackProps) {
    super(scope, id, { description: 'Segue: the front door to a multilingual project service' });
    const stores = new Stores(this, 'Stores');
    const grants = {
      keys: [stores.readTable(), stores.readSigningSecret()],
      tokens: [stores.changeTable(), stores.readSigningSecret()],
      upstream: [stores.readUpstreamSecret(settings.upstreamUrl)],
    } as const satisfies Record<Need, unknown>;

    const functions = new Map<FunctionName, DeployedFunction>();
    for (const { name, kind } of FUNCTIONS) {
      const props = {
        folder: folderOf(name),
        timeout: TIMEOUTS[kind],
        grants: NEEDS[name].flatMap((need) => grants[need]),
      };
      functions.set(name, new DeployedFunction(this, pascalCase(name), props));
    }
    const lambdaOf = (name: FunctionName) => {
      const deployed = functions.get(name);
      if (deployed === undefined) throw new RangeError(`There is no function ${name}`);
      return deployed.lambda;
    };
    const api = new Api(this, 'Api', { functionOf: lambdaOf });

    const outputs = {
      ApiUrl: api.url,
      UpstreamSecretArn: stores.upstreamSecret.secretArn,
      TableName: stores.table.tableName,
      CreateProjectTaskArn: lambdaOf('createProjectTask').functionArn,
      DeleteProjectTaskArn: lambdaOf('deleteProjectTask').functionArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}

function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
