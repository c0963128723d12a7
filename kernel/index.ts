export type { Clock } from './clock.ts'
export type { Command, CommandInput } from './command.ts'
export { isDuplicateKey } from './database/duplicate-key.ts'
export { isUnavailable } from './database/unavailable.ts'
export type { ErrorBody, ErrorExplainer } from './error-reply.ts'
export { AppError, type ErrorDefinition, type ErrorTable } from './errors.ts'
export type { EventBus } from './events.ts'
export { createGroupCommit, type GroupCommit } from './group-commit.ts'
export type { Host } from './host.ts'
export type { Caller, ContextOf, Guard, GuardRequest, GuardUse } from './http/guard.ts'
export { type Method, type RequestOf, type Route, type RouteSpec, reply, route } from './http/route.ts'
export type { Ids } from './ids.ts'
export type { Job } from './jobs.ts'
export type { ChannelKind, Tool, ToolContext } from './kinds.ts'
export { chooseLocale, LOCALES, type Locale, type LocalizedText } from './locale.ts'
export type { Logger } from './log.ts'
export { type Permission, type Plugin, plugin } from './plugin.ts'
export { JSON_OPTION, printJson, printTable } from './print.ts'
export type {
  EmbeddingModel,
  ExplainedFailure,
  ModelDescription,
  ProviderConnection,
  ProviderFailure,
  ProviderKind,
  StreamingModel,
  UpstreamReport,
} from './provider-kind.ts'
export type { Registry } from './registry.ts'
export {
  compileSchema,
  type Issue,
  type JSONSchema,
  nullable,
  objectOf,
  type TypeOf,
  type Validator,
} from './schema.ts'
export type { Secrets } from './secrets.ts'
export type { SocketDirectory } from './socket/directory.ts'
export { type Connection, type FrameOf, type OpeningRequest, type Socket, socket } from './socket/socket.ts'
export type {
  AuditRecord,
  Collections,
  Cradle,
  Events,
  GuardContexts,
  KernelServices,
  PluginState,
  Registries,
  ServerFacts,
  Services,
} from './types.ts'
export { untilAborted } from './until-aborted.ts'
