import { Stage } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { Api } from './api/api.ts';
import { bundlesIn } from './bundle.ts';
import { type FunctionName, functionsOf } from './functions/catalogue.ts';
import { Delivering } from './functions/delivering.ts';
import { DeployedFunction } from './functions/deployed-function.ts';
import { NEEDS } from './functions/needs.ts';
import { Publishing } from './functions/publishing.ts';
import { Settling } from './functions/settling.ts';
import { Sweeping } from './functions/sweeping.ts';
import { timeoutOf } from './functions/timeouts.ts';
import { Alarms } from './monitoring/alarms.ts';
import { GatewayDashboard } from './monitoring/dashboard.ts';
import { Watched } from './monitoring/metrics.ts';
import { completed, type ProjectGatewayProps } from './options.ts';
import { putOut } from './outputs.ts';
import { Rotation } from './stores/key-rotation.ts';
import { Stores } from './stores/stores.ts';
import { BulkProjects } from './workflow/bulk.ts';

/**
 * The front door to a multilingual project service, with all that is behind it: API, functions, table, secrets, a bus,
 * and what works behind the API; and, as the service itself, a bucket.
 */
export class ProjectGateway extends Construct {
  readonly api: Api;
  readonly table: Table;
  /** Of what webhooks brought. */
  readonly deliveriesTable: Table;
  readonly signingSecret: Secret;
  /** How the names of the secrets of webhooks begin, which the command line makes. */
  readonly webhookSecretsPrefix: string;
  /** A key of one's own that encrypts table, bucket and secrets. */
  readonly encryptionKey: IKey | undefined;
  /** Of the hosted service: where large payloads are. */
  readonly bucket: Bucket | undefined;
  /** Of bulk runs: manifests, and what became of them. */
  readonly manifests: Bucket;
  /** Where it says what happened to projects. */
  readonly eventBus: EventBus;
  /** In front of another service: its credentials, for the operator to fill in. */
  readonly upstreamSecret: Secret | undefined;
  readonly #functions: ReadonlyMap<FunctionName, DeployedFunction>;

  /** @throws {SettingError} where options do not fit together */
  constructor(scope: Construct, id: string, props: ProjectGatewayProps) {
    super(scope, id);
    const options = completed(props);
    const { name: service } = options.service;
    const stores = new Stores(this, 'Stores', options);
    const folderOf = bundlesIn(Stage.of(this)?.outdir ?? '.', service);
    this.#functions = new Map(
      functionsOf({ service, platform: 'aws' }).map((entry) => {
        const { name } = entry;
        const grants = stores.grantsFor(NEEDS[name][service]);
        const reservedConcurrency = options.reservedConcurrency?.[name];
        const given = { folder: folderOf(name), timeout: timeoutOf(entry), grants, reservedConcurrency, options };
        return [name, new DeployedFunction(this, pascalCase(name), given)];
      }),
    );
    this.table = stores.table;
    this.deliveriesTable = stores.deliveries;
    this.signingSecret = stores.signingSecret;
    this.webhookSecretsPrefix = stores.webhookSecretsPrefix;
    this.encryptionKey = options.encryptionKey;
    this.bucket = stores.bucket;
    this.manifests = stores.manifests;
    this.eventBus = stores.bus;
    this.upstreamSecret = stores.upstreamSecret;
    this.api = new Api(this, 'Api', { functionOf: (name) => this.functionOf(name), options });

    new Rotation(this, 'Rotation', { secret: stores.signingSecret, rotator: this.functionOf('rotateSigningKeys') });
    const { table } = stores;
    const publishing = new Publishing(this, 'Publishing', { table, publisher: this.#deployed('publishEvents') });
    const delivering = new Delivering(this, 'Delivering', {
      table: stores.deliveries,
      worker: this.#deployed('deliveries'),
    });
    const behind =
      service === 'hosted'
        ? { sweeping: new Sweeping(this, 'Sweeping', { table, sweeper: this.#deployed('sweeper') }) }
        : { settling: this.#settling() };
    const { alarms, bulkCompanies = [], dashboard } = options;
    const bulk = bulkCompanies.map(
      (companyId) => new BulkProjects(this, `Bulk-${companyId}`, { gateway: this, companyId }),
    );
    putOut(this, options.service, bulk);
    if (!alarms && !dashboard) return;
    const watched = new Watched(this, 'Watched', {
      service,
      api: this.api.rest,
      table,
      functions: this.#functions,
      deliveries: stores.deliveries,
      publishing,
      delivering,
      bulk,
      ...behind,
    });
    const made = alarms ? new Alarms(this, 'Alarms', { watched, topic: options.alarmTopic }).alarms : [];
    if (dashboard) new GatewayDashboard(this, 'Dashboard', { watched, alarms: made });
  }

  /** @throws {RangeError} where the service has no such function */
  functionOf(name: FunctionName): LambdaFunction {
    return this.#deployed(name).lambda;
  }

  #settling(): Settling {
    return new Settling(this, 'Settling', {
      reconciler: this.#deployed('reconciler'),
      audit: this.#deployed('audit'),
    });
  }

  #deployed(name: FunctionName): DeployedFunction {
    const deployed = this.#functions.get(name);
    if (deployed === undefined) throw new RangeError(`There is no function ${name}`);
    return deployed;
  }
}

function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
