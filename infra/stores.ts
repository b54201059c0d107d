import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

/** Something a function is given: what it may do, and how it learns where that is. */
export interface Grant {
  readonly statement: PolicyStatement;
  readonly environment: Readonly<Record<string, string>>;
}

/** What outlives a deployment: the company keys' hashes, families of tokens, and the secrets that have to be read back. */
export class Stores extends Construct {
  readonly table: Table;
  readonly upstreamSecret: Secret;
  readonly signingSecret: Secret;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'partition', type: AttributeType.STRING },
      sortKey: { name: 'sort', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryption.AWS_MANAGED,
      timeToLiveAttribute: 'expiresAt',
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // CloudFormation makes a generated value anew, over the operator's, when what follows changes: it never may
    this.upstreamSecret = new Secret(this, 'UpstreamSecret', {
      description: 'Credentials of the service behind Segue: { companyId, apiKey }, filled in by the operator',
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ companyId: 'fill-in' }),
        generateStringKey: 'apiKey',
        excludePunctuation: true,
      },
    });
    this.signingSecret = new Secret(this, 'SigningSecret', {
      description: 'Keys that sign access tokens, the first of them generated: { id, secret }',
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ id: 'initial' }),
        generateStringKey: 'secret',
        passwordLength: 64,
        excludePunctuation: true,
      },
    });
    acknowledge(this.upstreamSecret, {
      'AwsSolutions-SMG4': 'The key belongs to the service behind Segue, which alone can issue another one.',
    });
    acknowledge(this.signingSecret, {
      'AwsSolutions-SMG4':
        'A signing key stays valid as long as a token it signed: keys are added to the set, not replaced on a schedule.',
    });
  }

  /** Reading the keys of companies and families of tokens. */
  readTable(): Grant {
    return this.#useTable(['dynamodb:GetItem']);
  }

  /** Reading the table and changing families of tokens. */
  changeTable(): Grant {
    return this.#useTable(['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  }

  #useTable(actions: string[]): Grant {
    return {
      statement: new PolicyStatement({ actions, resources: [this.table.tableArn] }),
      environment: { SEGUE_TABLE: this.table.tableName },
    };
  }

  /** Reading the keys that sign access tokens. */
  readSigningSecret(): Grant {
    return {
      statement: mayRead(this.signingSecret),
      environment: { SEGUE_SIGNING_SECRET: this.signingSecret.secretArn },
    };
  }

  /** Reading the credentials of the service at `url`. */
  readUpstreamSecret(url: string): Grant {
    return {
      statement: mayRead(this.upstreamSecret),
      environment: { SEGUE_UPSTREAM_URL: url, SEGUE_UPSTREAM_SECRET: this.upstreamSecret.secretArn },
    };
  }
}

function mayRead(secret: Secret): PolicyStatement {
  return new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] });
}
