export type { CanaryMode } from '../lib/contract/canary.ts';
export type { Rate } from '../lib/contract/settings.ts';
export type { Api } from './api/api.ts';
export { METHOD_RATES, type ServedOperation } from './api/method-rates.ts';
export type { FunctionName } from './functions/catalogue.ts';
export type { CustomDomain, ProjectGatewayProps, TlsVersion } from './options.ts';
export { ProjectGateway } from './project-gateway.ts';
export {
  type HostedService,
  hosted,
  type MailOptions,
  type Service,
  type TranslationOptions,
  type UpstreamService,
  upstream,
} from './services.ts';
export { SettingError } from './setting-error.ts';
export {
  type FirewallMode,
  type LogDays,
  type Rollout,
  STAGES,
  type StageName,
  type StageSettings,
} from './stages.ts';
export { BulkProjects, type BulkProjectsProps } from './workflow/bulk.ts';
export {
  CreateProjectTask,
  type CreateProjectTaskProps,
  DeleteProjectTask,
  type DeleteProjectTaskProps,
  type Failures,
  GetProgressTask,
  type GetProgressTaskProps,
  type ProjectFrom,
  type ProjectTaskProps,
  PutProjectTask,
  type PutProjectTaskProps,
} from './workflow/project-task.ts';
export type { JsonataExpression } from './workflow/query-language.ts';
export { WaitForProjectTask, type WaitForProjectTaskProps } from './workflow/wait-for-project-task.ts';
