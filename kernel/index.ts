export { type Blueprint, readBlueprint } from './blueprint.ts'
export { listPlugins, type PluginRow } from './cli/plugins-command.ts'
export type { Clock } from './clock.ts'
export type { Command, CommandInput } from './command.ts'
export { isDuplicateKey, isOnlyDuplicates } from './database/duplicate-key.ts'
export { isUnavailable } from './database/unavailable.ts'
export { createDeadline, type Deadline, withDeadline } from './deadline.ts'
export { locate } from './discovery.ts'
export type { ErrorBody, ErrorDescriber, ErrorExplainer } from './error-reply.ts'
export { AppError, type ErrorDefinition, type ErrorTable } from './errors.ts'
export type { EventBus } from './events.ts'
export type { AllExtensions, ExtensionPoint, Extensions } from './extensions.ts'
export { compileFor, createFormCheck } from './form.ts'
export { createGroupCommit, type GroupCommit } from './group-commit.ts'
export { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts'
export { linkServer } from './home-link.ts'
export type { Host } from './host.ts'
export type { ServerSentEvent } from './http/event-stream.ts'
export { listsTag } from './http/file-reply.ts'
export type { Caller, ContextOf, Guard, GuardRequest, GuardUse } from './http/guard.ts'
export { networkOf } from './http/network.ts'
export {
  findPage,
  linkToNext,
  MAX_PAGE_ROWS,
  type Page,
  type PageRequest,
  pageOf,
  pageQuery,
  pageReply,
  readCursor,
  writeCursor,
} from './http/paging.ts'
export {
  type DefineRoute,
  type Download,
  defineRoute,
  type FileReply,
  type Method,
  type RequestOf,
  type Route,
  type RouteSpec,
  reply,
} from './http/route.ts'
export type { UploadedFile } from './http/upload.ts'
export type { Ids } from './ids.ts'
export type { Job } from './jobs.ts'
export { acquireLease, type LeaseDocument } from './lease.ts'
export { type LimitSpec, type Limits, limitStates } from './limits.ts'
export {
  chooseLocale,
  LOCALES,
  type Locale,
  type LocalizedText,
  languageTag,
  localizedText,
  nearestLocale,
} from './locale.ts'
export type { Logger } from './log.ts'
export { MASK, maskOf } from './mask.ts'
export { type OpenFolder, openFolder } from './open-folder.ts'
export { OWN_PACKAGE } from './package.ts'
export { isWithin } from './paths.ts'
export { createPlaces, type Places } from './places.ts'
export { defineManifest, definePlugin, type Manifest, type Permission, type Plugin } from './plugin.ts'
export { JSON_OPTION, printJson, printTable } from './print.ts'
export {
  assertSchema,
  compileSchema,
  deferSchema,
  type Issue,
  type JSONSchema,
  nullable,
  objectOf,
  rowOf,
  type TypeOf,
  type Validator,
} from './schema.ts'
export type { Secrets } from './secrets.ts'
export type { SocketDirectory } from './socket/directory.ts'
export {
  type Connection,
  type DefineSocket,
  defineSocket,
  type FrameOf,
  type OpeningRequest,
  type Socket,
} from './socket/socket.ts'
export type {
  AuditRecord,
  Collections,
  Cradle,
  ErrorCode,
  Events,
  ExtensionPoints,
  GuardContexts,
  KernelServices,
  LimitName,
  PluginState,
  PrivateServices,
  ServerFacts,
  Services,
  SettingsOf,
} from './types.ts'
export { untilAborted } from './until-aborted.ts'
