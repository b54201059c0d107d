export type { CustomDomain, ProjectGatewayProps } from './options.ts';
export { ProjectGateway } from './project-gateway.ts';
export { hosted, type Service, type UpstreamService, upstream } from './service.ts';
export { SettingError } from './setting-error.ts';
export { type Rate, STAGES, type StageName, type StageSettings } from './stages.ts';
export { BulkProjects, type BulkProjectsProps } from './workflow/bulk.ts';
