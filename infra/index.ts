export type { CustomDomain, ProjectGatewayProps } from './options.ts';
export { ProjectGateway } from './project-gateway.ts';
export { hosted, type Service, type UpstreamService, upstream } from './service.ts';
export { SettingError } from './setting-error.ts';
export { type Rate, STAGES, type StageName, type StageSettings } from './stages.ts';
export { BulkProjects, type BulkProjectsProps } from './workflow/bulk.ts';
export { CreateProjectTask, type CreateProjectTaskProps, type ProjectFrom } from './workflow/create-project-task.ts';
export { DeleteProjectTask, type DeleteProjectTaskProps } from './workflow/delete-project-task.ts';
export type { Failures, ProjectTaskProps } from './workflow/project-task.ts';
