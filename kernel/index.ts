export { JSON_OPTION, printJson, printTable } from './cli/print.ts'
export { readServerNote, type ServerNote } from './cli/server-note.ts'
export { type Clock, untilTick } from './clock.ts'
export { ConfigError } from './config/config.ts'
export { isDuplicateKey, isOnlyDuplicates, isUnavailable } from './database/driver-errors.ts'
export { acquireLease, type LeaseDocument } from './database/lease.ts'
export type { Migration } from './database/migrations.ts'
export { noteWrite, WRITING_METHODS } from './database/write-watch.ts'
export { AppError, type ErrorDefinition, type ErrorTable } from './errors.ts'
export { listsTag } from './http/entity-tag.ts'
export type { ErrorForm, UnansweredRequest } from './http/error-form.ts'
export type { ErrorBody, ErrorDescriber, ErrorExplainer } from './http/error-reply.ts'
export type { ServerSentEvent, StreamItem } from './http/event-stream.ts'
export type { Caller, ContextOf, Guard, GuardRequest, GuardUse } from './http/guard.ts'
export { networkOf, originOf } from './http/network.ts'
export type { Pages } from './http/pages.ts'
export type { KeptReply, RepeatableCall } from './http/repetition.ts'
export {
  type ChosenReply,
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
export { createJsonMeter, JsonTooComplex, MAX_JSON_LEVELS, MAX_JSON_VALUES, parseJson } from './json-meter.ts'
export { type Blueprint, extensionsOf, readBlueprint } from './loading/blueprint.ts'
export { BUILT_IN, locate } from './loading/discovery.ts'
export { linkServer } from './loading/home-link.ts'
export { OWN_PACKAGE, SVC_COMMAND } from './loading/package.ts'
export {
  chooseLocale,
  LOCALES,
  type Locale,
  type LocalizedText,
  languageTag,
  localeName,
  localizedText,
  nearestLocale,
} from './locale.ts'
export { createLogger, type Logger } from './log.ts'
export type { Command, CommandInput } from './plugin/command.ts'
export type { EventBus } from './plugin/events.ts'
export type { AllExtensions, ExtensionPoint, Extensions } from './plugin/extensions.ts'
export { compileFor, createFormCheck } from './plugin/form.ts'
export type { Host } from './plugin/host.ts'
export type { Job } from './plugin/jobs.ts'
export { defineManifest, definePlugin, type Manifest, type Permission, type Plugin } from './plugin/plugin.ts'
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
export { keyPathIn, openKeyRing } from './security/key-ring.ts'
export { type LimitSpec, type Limits, limitStates } from './security/limits.ts'
export { assertKeyKept } from './security/lost-key.ts'
export { MASK, maskOf } from './security/mask.ts'
export { createRecentValues, type RecentValues } from './security/recent-values.ts'
export { createSecrets, type Secrets } from './security/secrets.ts'
export { explainUnwritable } from './server/storage.ts'
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
